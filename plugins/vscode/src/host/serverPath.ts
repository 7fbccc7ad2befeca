// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the language server is: the setting, then PATH, then a build tree in an open folder.
import * as fs from "node:fs";
import * as path from "node:path";

export interface Places {
  /** The setting; empty: not set. `${workspaceFolder}` and a leading `~` are known. */
  setting: string;
  /** PATH. */
  path: string;
  folders: string[];
  home: string;
  /** Build trees are programs of the folder: only looked for where its contents are trusted. */
  trusted: boolean;
}

export type Found = { program: string; from: "setting" | "path" | "build" } | { missing: string[] };

const program = process.platform === "win32" ? "tilewright-lsp.exe" : "tilewright-lsp";

export function findServer(places: Places, isProgram: (file: string) => boolean = isExecutable): Found {
  if (places.setting) {
    const file = path.resolve(places.folders[0] ?? "/", places.setting
      .replace(/\$\{workspaceFolder\}/g, places.folders[0] ?? "")
      .replace(/^~(?=\/|$)/, places.home));
    // A setting that is wrong is not passed over: another server than the one named would puzzle more.
    return isProgram(file) ? { program: file, from: "setting" } : { missing: [file] };
  }
  const looked: string[] = [];
  for (const folder of places.path.split(path.delimiter)) {
    // Relative entries would run what happens to lie in the current folder.
    if (!path.isAbsolute(folder)) continue;
    const file = path.join(folder, program);
    if (isProgram(file)) return { program: file, from: "path" };
  }
  looked.push("PATH");
  if (places.trusted)
    for (const folder of places.folders) {
      const file = path.join(folder, "build", "bin", program);
      if (isProgram(file)) return { program: file, from: "build" };
      looked.push(file);
    }
  return { missing: looked };
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
