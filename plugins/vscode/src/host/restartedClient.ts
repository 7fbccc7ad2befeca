// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { CancellationToken } from "vscode";
import { ErrorCodes, LanguageClient, ResponseError, type MessageSignature } from "vscode-languageclient/node";

/**
 * A client whose server may die and is started again. What could not be written to the dead one is no failure of
 * the request: VS Code asks again when the new one is there. One message for each would hide the one that counts,
 * as VS Code shows no toast after the third within 0.8 s.
 */
export class RestartedClient extends LanguageClient {
  override handleFailedRequest<T>(type: MessageSignature, token: CancellationToken | undefined, error: unknown, defaultValue: T, showNotification?: boolean): T {
    if (error instanceof ResponseError && error.code === ErrorCodes.MessageWriteError) return defaultValue;
    return super.handleFailedRequest(type, token, error, defaultValue, showNotification);
  }
}
