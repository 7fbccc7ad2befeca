;;; -*- lexical-binding: t -*-
;; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;; Run by emacs_test.sh in a batch Emacs that has read what docs/editors.md says. Ends it with 0 or 1.
(require 'cl-lib)
(setq tilewright-server (getenv "TILEWRIGHT_SERVER"))
(setq eglot-connect-timeout 60 eglot-sync-connect 60 eglot-confirm-server-initiated-edits nil)
(setq enable-local-variables nil make-backup-files nil create-lockfiles nil)

(defconst source "func.func @ffn(%x: tensor<128x256xf32>, %w: tensor<256x512xf32>) -> tensor<128x512xf32> {
  %h = tw.matmul %x, %w : (tensor<128x256xf32>, tensor<256x512xf32>) -> tensor<128x512xf32>
  %y = tw.silu %h : (tensor<128x512xf32>) -> tensor<128x512xf32>
  return %y : tensor<128x512xf32>
}
")
(defconst file (expand-file-name "ffn.mlir" (getenv "TILEWRIGHT_WORK")))

(defun wait-for (what check)
  "CHECK's first value that is not nil; an error that names WHAT after 30 s."
  (let ((until (+ (float-time) 30)) value)
    (while (not (setq value (funcall check)))
      (when (> (float-time) until) (error "Waited in vain for %s" what))
      (accept-process-output nil 0.05))
    value))

(defvar passed 0)
(defmacro step (what &rest body)
  `(progn ,@body (cl-incf passed) (message "ok %d - %s" passed ,what)))

(defun problems () (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(defun actions-at (text)
  (goto-char (point-min))
  (search-forward text)
  (backward-char 2)
  (append (jsonrpc-request
           (eglot--current-server-or-lose) :textDocument/codeAction
           (list :textDocument (eglot--TextDocumentIdentifier)
                 :range (list :start (eglot--pos-to-lsp-position) :end (eglot--pos-to-lsp-position))
                 :context (list :diagnostics
                                (vconcat (mapcar (lambda (d) (cdr (assoc 'eglot-lsp-diag (eglot--diag-data d))))
                                                 (flymake-diagnostics))))))
          nil))

(condition-case problem
    (progn
      (write-region source nil file nil 'quiet)
      (find-file file)
      (step "a source starts the server"
        (cl-assert (eq major-mode 'tilewright-mlir-mode))
        (call-interactively #'eglot)
        (cl-assert (eglot-current-server)))
      (step "a typo is found, and its fix takes it away"
        (goto-char (point-min))
        (search-forward "tw.silu")
        (replace-match "tw.sillu")
        (eglot--signal-textDocument/didChange)
        (wait-for "a diagnostic" (lambda () (flymake-start) (cl-some (lambda (text) (string-match-p "tw.sillu" text)) (problems))))
        (let ((fix (cl-find "Replace by 'tw.silu'" (actions-at "tw.sillu") :key (lambda (a) (plist-get a :title)) :test #'equal)))
          (cl-assert fix)
          (eglot--apply-workspace-edit (plist-get fix :edit)))
        (cl-assert (equal (buffer-string) source))
        (eglot--signal-textDocument/didChange)
        (wait-for "no diagnostic" (lambda () (flymake-start) (null (problems)))))
      (step "an operation has documentation and a definition"
        (goto-char (point-min))
        (search-forward "tw.silu %")
        (let ((hover (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover (eglot--TextDocumentPositionParams))))
          (cl-assert (string-match-p "128x512xf32" (plist-get (plist-get hover :contents) :value))))
        (call-interactively (lambda () (interactive) (xref-find-definitions "LSP identifier at point.")))
        (cl-assert (= (line-number-at-pos) 2)))
      (step "a stage is shown"
        (tilewright-stage "tile/expand-tiles")
        (with-current-buffer "*ffn.mlir tile/expand-tiles*"
          (cl-assert (string-match-p "scf.forall" (buffer-string)))))
      (step "a tile is pinned by an action"
        (let ((pin (cl-find-if (lambda (a) (string-match-p "^Pin tile .* of ffn/h$" (plist-get a :title))) (actions-at "tw.matmul"))))
          (cl-assert pin)
          (let ((command (plist-get pin :command)))
            (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                             (list :command (plist-get command :command) :arguments (plist-get command :arguments))))
          (cl-assert (file-exists-p (concat file ".pins.json")))
          (cl-assert (cl-find-if (lambda (a) (string-match-p "^Unpin tile" (plist-get a :title))) (actions-at "tw.matmul")))))
      (step "a run tells its time and that the numbers are right"
        (cl-assert (string-match-p "^ffn: [0-9.]+ ms (measured, best of 7); the numbers are right$" (tilewright-run))))
      (eglot-shutdown (eglot-current-server))
      (message "%d passed, 0 failed" passed)
      (kill-emacs 0))
  (error
   (message "FAILED after %d steps: %S" passed problem)
   (kill-emacs 1)))
