import { pino, type Logger } from 'pino'
import { infoLevel, type LaterLines } from '../../subgraphs/kernel/log.ts'

/** The content of the log line of one request. No member can contain a secret or data of a customer. */
export interface RequestLine {
  readonly id: string
  readonly method: string
  readonly operation: string
  readonly operationName: string | null
  readonly status: number
  readonly code: string | null
  readonly durationMs: number
  readonly organizationId: string
  readonly credentialId: string
}

export type WriteRequestLine = (line: RequestLine) => void

const text = (name: string, value: string | null): string => (value ? `,"${name}":"${value}"` : '')

const operationNameMax = 200

/**
 * JSON built by hand takes half the time of a logger (1.6 instead of 3.2 us). No value needs escapes: they are ids, codes, names of
 * the schema, GraphQL names and methods that Node has checked.
 */
const jsonOf = (line: RequestLine): string =>
  `{"level":${infoLevel},"time":${Date.now()},"id":"${line.id}","method":"${line.method}","operation":"${line.operation}"${text(
    'operationName',
    line.operationName && line.operationName.slice(0, operationNameMax),
  )},"status":${line.status}${text('code', line.code)},"durationMs":${line.durationMs.toFixed(2)}${text(
    'organizationId',
    line.organizationId,
  )}${text('credentialId', line.credentialId)},"msg":"request"}\n`

/** Writes request lines to the destination of the log, some of them together; null when the level of the log excludes them. */
export function requestLines(log: Logger): WriteRequestLine | null {
  if (!log.isLevelEnabled('info')) return null
  const destination = (log as Logger & { [pino.symbols.streamSym]: LaterLines })[pino.symbols.streamSym]
  const write = destination.writeLater?.bind(destination) ?? destination.write.bind(destination)
  return (line) => write(jsonOf(line))
}
