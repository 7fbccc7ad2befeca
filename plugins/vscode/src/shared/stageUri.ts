// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of stage documents: `tilewright:/<stage>/<pass>?source=<uri>`.

export interface StageName { stage: string; source: string }

/** As the server writes it. */
export function stageUri(name: StageName): string {
  const encode = (text: string, keep: RegExp) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase())
      .replace(keep, decodeURIComponent);
  return `tilewright:/${encode(name.stage, /%2F|%40/g)}?source=${encode(name.source, /%2F|%3A/g)}`;
}

/** Parts of a URI as VS Code gives them: decoded. Undefined if it names no stage. */
export function parseStageUri(uri: { scheme: string; path: string; query: string }): StageName | undefined {
  if (uri.scheme !== "tilewright" || !uri.query.startsWith("source=")) return undefined;
  const stage = uri.path.replace(/^\/+/, "");
  const source = uri.query.slice("source=".length);
  return stage && source ? { stage, source } : undefined;
}
