import type { OperationContext } from '../kernel/context.ts'
import type { SentFiles } from '../kernel/file/sent-files.ts'
import type { Services } from '../kernel/request.ts'
import { documentFilesOf } from './document/document-files.ts'
import { streamMessage, type StreamedAnswer, type StreamedMessage } from './answer/stream-message.ts'

/** Answers of the assistant that arrive in parts, for the process that has the connection to the client. */
export interface AnswerStreams {
  stream(operation: OperationContext, message: StreamedMessage): Promise<StreamedAnswer>
}

export const answerStreams = (services: Services): AnswerStreams => ({
  stream: (operation, message) => streamMessage(services, operation, message),
})

export { toolService, type ToolService } from './tool/tool-service.ts'

/** The files of documents, for the process that has the connection to the client. */
export const documentFiles = (services: Services): SentFiles => documentFilesOf(services)
