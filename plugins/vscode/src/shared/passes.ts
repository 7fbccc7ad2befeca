// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes of a compilation by stage, and which snapshots show what one of them did.
import type { PassRecord } from "./protocol";

export interface StagePasses { stage: string; passes: PassRecord[] }

export function byStage(passes: readonly PassRecord[]): StagePasses[] {
  const stages: StagePasses[] = [];
  for (const pass of passes) {
    let last = stages[stages.length - 1];
    if (last?.stage !== pass.stage) stages.push(last = { stage: pass.stage, passes: [] });
    last.passes.push(pass);
  }
  return stages;
}

export function nameOf(pass: { stage: string; pass: string }): string {
  return `${pass.stage}/${pass.pass}`;
}

/** The snapshot to compare a pass with: the one before it. Undefined for the first pass. */
export function before(passes: readonly PassRecord[], name: string): string | undefined {
  const at = passes.findIndex((pass) => nameOf(pass) === name);
  return at > 0 ? nameOf(passes[at - 1]!) : undefined;
}
