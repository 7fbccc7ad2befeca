// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The views' one style sheet. Colours are the theme's; in high contrast borders replace fills.
export const style = `
html, body { height: 100%; margin: 0; padding: 0; }
body { background: var(--vscode-editor-background); color: var(--vscode-editor-foreground);
  font: var(--vscode-font-size, 13px) var(--vscode-font-family, sans-serif); display: flex; flex-direction: column; height: 100vh; }
main { display: flex; flex-direction: column; flex: 1 1 auto; min-width: 0; min-height: 0; }
.bar { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; padding: 6px 10px;
  border-bottom: 1px solid var(--vscode-panel-border, var(--vscode-contrastBorder, transparent)); }
.bar .grow { flex: 1 1 auto; }
.bar label { display: inline-flex; gap: 5px; align-items: center; }
.muted { color: var(--vscode-descriptionForeground); }
.trouble { padding: 8px 12px; border-left: 3px solid var(--vscode-editorWarning-foreground, orange); margin: 8px 10px;
  background: var(--vscode-inputValidation-warningBackground, transparent); white-space: pre-wrap; }
.empty { padding: 24px; max-width: 46em; line-height: 1.5; }
button, select, input[type=search] { font: inherit; border-radius: 2px; box-sizing: border-box; min-height: 26px; }
button { color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground);
  border: 1px solid var(--vscode-button-border, var(--vscode-contrastBorder, transparent)); padding: 2px 10px; cursor: pointer; }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
button.primary { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
button.primary:hover { background: var(--vscode-button-hoverBackground); }
button:disabled { opacity: .5; cursor: default; }
select { color: var(--vscode-dropdown-foreground); background: var(--vscode-dropdown-background);
  border: 1px solid var(--vscode-dropdown-border, var(--vscode-contrastBorder, transparent)); padding: 2px 4px; max-width: 22em; }
input[type=search] { color: var(--vscode-input-foreground); background: var(--vscode-input-background);
  border: 1px solid var(--vscode-input-border, var(--vscode-contrastBorder, transparent)); padding: 2px 6px; width: 15em; }
input::placeholder { color: var(--vscode-input-placeholderForeground); }
:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 1px; }
a { color: var(--vscode-textLink-foreground); }
h2 { font-size: 1.1em; margin: 14px 0 6px; font-weight: 600; }
.scroll { flex: 1 1 auto; overflow: auto; padding: 0 12px 12px; min-height: 0; }
.canvas { flex: 1 1 auto; overflow: hidden; position: relative; min-height: 0; touch-action: none; }
.live { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
code, .mono { font-family: var(--vscode-editor-font-family, monospace); }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 3px 10px 3px 0; vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
thead th { position: sticky; top: 0; background: var(--vscode-editor-background); font-weight: 600; z-index: 1;
  border-bottom: 1px solid var(--vscode-panel-border, var(--vscode-contrastBorder, transparent)); }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
tbody tr:hover { background: var(--vscode-list-hoverBackground); }
tbody tr.chosen { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); outline: 1px dashed var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }

/* Graph */
.graph svg { width: 100%; height: 100%; display: block; cursor: grab; user-select: none; }
.graph svg.dragged { cursor: grabbing; }
.graph svg .ground > rect { fill: var(--vscode-editor-background); }
.graph svg [data-id] { cursor: pointer; }
.graph svg [data-id]:focus { outline: none; }
.graph svg [data-id]:focus-visible > :is(rect, polygon), .graph svg [data-id].selected > :is(rect, polygon) {
  stroke: var(--vscode-focusBorder); stroke-width: 3; }
.graph svg [data-id].found > :is(rect, polygon) { stroke: var(--vscode-editorWarning-foreground, orange); stroke-width: 3; stroke-dasharray: 5 2; }
.graph svg.searching [data-id]:not(.found) { opacity: .35; }
body.vscode-high-contrast svg [data-id] > :is(rect, polygon) { stroke: var(--vscode-contrastBorder); }

/* Tiling */
.map { display: grid; gap: 1px; width: max-content; margin: 6px 0 4px; }
.map > .axis { font-variant-numeric: tabular-nums; padding: 2px 6px; text-align: right; align-self: center; }
.map > .axis.x { text-align: center; }
.map > button { min-width: 50px; min-height: 28px; border-radius: 0; padding: 0 4px; border: 2px solid transparent; font-variant-numeric: tabular-nums; position: relative; }
.map > button.legal { color: var(--ink); background: var(--ground); }
.map > button.illegal { color: var(--vscode-disabledForeground, var(--vscode-descriptionForeground));
  background: repeating-linear-gradient(135deg, transparent 0 5px, var(--vscode-editorWidget-border, gray) 5px 6px); }
.map > button.current { border: 2px solid var(--vscode-focusBorder); box-shadow: 0 0 0 1px var(--vscode-editor-background) inset; }
.map > button.best::after { content: "◆"; position: absolute; right: 2px; top: -2px; font-size: 10px; }
.map > button[aria-selected=true] { outline: 2px solid var(--vscode-editor-foreground); outline-offset: 0; z-index: 1; }
.scale0 { --ground: #0b4f6c; --ink: #fff; } .scale1 { --ground: #15697f; --ink: #fff; } .scale2 { --ground: #1e7a86; --ink: #fff; }
.scale3 { --ground: #74b896; --ink: #10140f; } .scale4 { --ground: #a9cd94; --ink: #10140f; } .scale5 { --ground: #e2de96; --ink: #10140f; }
.scale6 { --ground: #faf0cd; --ink: #10140f; }
.vscode-dark .scale0, .vscode-high-contrast:not(.vscode-high-contrast-light) .scale0 { --ground: #f6e896; --ink: #10140f; }
.vscode-dark .scale1, .vscode-high-contrast:not(.vscode-high-contrast-light) .scale1 { --ground: #bdd893; --ink: #10140f; }
.vscode-dark .scale2, .vscode-high-contrast:not(.vscode-high-contrast-light) .scale2 { --ground: #80c490; --ink: #10140f; }
.vscode-dark .scale3, .vscode-high-contrast:not(.vscode-high-contrast-light) .scale3 { --ground: #217a80; --ink: #fff; }
.vscode-dark .scale4, .vscode-high-contrast:not(.vscode-high-contrast-light) .scale4 { --ground: #1e6478; --ink: #fff; }
.vscode-dark .scale5, .vscode-high-contrast:not(.vscode-high-contrast-light) .scale5 { --ground: #1e5474; --ink: #fff; }
.vscode-dark .scale6, .vscode-high-contrast:not(.vscode-high-contrast-light) .scale6 { --ground: #22304c; --ink: #fff; }
.legend span { margin-right: 1.4em; }
.details { min-height: 4.2em; line-height: 1.5; }
.pill { border: 1px solid var(--vscode-contrastBorder, var(--vscode-badge-background)); background: var(--vscode-badge-background); color: var(--vscode-badge-foreground); border-radius: 9px; padding: 0 7px; font-size: .9em; }

/* Memory */
.memory svg { display: block; }
.memory svg text { fill: var(--vscode-editor-foreground); font-size: 11px; }
.memory svg text.muted { fill: var(--vscode-descriptionForeground); }
.memory svg .buffer { cursor: pointer; }
.memory svg .buffer rect { stroke: var(--vscode-editor-foreground); stroke-width: .7; }
.memory svg .buffer text { pointer-events: none; fill: var(--ink); }
.memory svg .buffer:focus { outline: none; }
.memory svg .buffer:focus-visible rect, .memory svg .buffer.selected rect { stroke: var(--vscode-focusBorder); stroke-width: 3; }
.memory svg .limit { stroke: var(--vscode-editorError-foreground, red); stroke-dasharray: 5 3; }
.memory svg .high { stroke: var(--vscode-descriptionForeground); stroke-dasharray: 2 3; }
.memory svg .frame { fill: none; stroke: var(--vscode-panel-border, var(--vscode-contrastBorder, gray)); }
body.vscode-high-contrast .buffer rect { fill: var(--vscode-editor-background) !important; stroke: var(--vscode-contrastBorder); }
body.vscode-high-contrast svg .buffer text { fill: var(--vscode-editor-foreground); }
.fill0 { --ground: #7aa6d8; --ink: #10140f; } .fill1 { --ground: #ffc857; --ink: #10140f; } .fill2 { --ground: #5fb3a1; --ink: #10140f; }
.fill3 { --ground: #d98880; --ink: #10140f; } .fill4 { --ground: #b39ddb; --ink: #10140f; } .fill5 { --ground: #9ccc65; --ink: #10140f; }
.fill6 { --ground: #f4a6c6; --ink: #10140f; } .fill7 { --ground: #bcaaa4; --ink: #10140f; }
[class*=fill] > rect { fill: var(--ground); }

/* Experiments */
.experiments table { margin-top: 4px; }
.experiments .list th, .experiments td.number { white-space: nowrap; }
.experiments .list td:nth-child(3) { white-space: nowrap; }
.experiments .list th { vertical-align: bottom; }
.experiments .list :is(th, td):nth-child(-n+2) { position: sticky; background: var(--vscode-editor-background); z-index: 1; }
.experiments .list :is(th, td):nth-child(1) { left: -12px; padding-left: 12px; }
.experiments .list :is(th, td):nth-child(2) { left: 24px; }
.experiments .list thead th:nth-child(-n+2) { z-index: 2; }
.experiments .list tr.chosen td { background: inherit; }

/* Timeline */
.timeline canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; }
.timeline canvas:focus-visible { outline-offset: -2px; }
.tip { position: absolute; pointer-events: none; padding: 4px 8px; max-width: 40em; white-space: pre-wrap; z-index: 2;
  background: var(--vscode-editorHoverWidget-background); color: var(--vscode-editorHoverWidget-foreground);
  border: 1px solid var(--vscode-editorHoverWidget-border, var(--vscode-contrastBorder, transparent)); }
.status { padding: 4px 10px; min-height: 1.4em; border-top: 1px solid var(--vscode-panel-border, var(--vscode-contrastBorder, transparent)); }
`;
