// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bundles the extension: one file for the extension host, one for each view.
//   node build.mjs [--minify] [--tests]
import { build } from "esbuild";
import { readdirSync } from "node:fs";

const minify = process.argv.includes("--minify");
const common = { bundle: true, minify, sourcemap: minify ? false : "linked", logLevel: "warning", legalComments: "none" };

await build({
  ...common,
  entryPoints: { extension: "src/host/extension.ts" },
  outdir: "dist", platform: "node", target: "node20", format: "cjs", external: ["vscode"],
});
await build({
  ...common,
  entryPoints: ["graph", "tiling", "memory", "timeline", "experiments"].map((name) => `src/webview/${name}.ts`),
  outdir: "dist/webview", platform: "browser", target: "es2022", format: "iife",
});
if (process.argv.includes("--tests"))
  await build({
    ...common,
    entryPoints: readdirSync("test/unit").filter((name) => name.endsWith(".test.ts")).map((name) => `test/unit/${name}`),
    outdir: "dist/test", platform: "node", target: "node20", format: "cjs", sourcemap: "inline",
  });
