import { pino, type DestinationStream, type Logger } from 'pino'

const messageCharactersMax = 1_000
const causesMax = 5
const framesBegin = /\n\s+at /

/** Properties of a PostgreSQL error that name the place of the failure. `detail` quotes the whole row, and other properties quote parts of it. */
const placeInDatabase = ['severity', 'schema', 'table', 'column', 'constraint', 'dataType', 'routine'] as const

type Members = Readonly<Record<string, unknown>>

const isOfDatabase = ({ code, severity }: Members): boolean =>
  typeof severity === 'string' && typeof code === 'string' && code.length === 5

/** Removes quoted data: PostgreSQL data exceptions (class 22) quote the value, and GraphQL coercion quotes the whole input. */
function messageOf(error: Error): string {
  const { code } = error as Error & { readonly code?: unknown }
  const isOfValue = isOfDatabase(error as unknown as Members) && String(code).startsWith('22')
  const message = isOfValue ? error.message.replace(/".*"/s, '"…"') : error.message
  const withoutInput = message.replace(/got invalid value .*/s, 'got an invalid value')
  return withoutInput.length <= messageCharactersMax
    ? withoutInput
    : `${withoutInput.slice(0, messageCharactersMax).toWellFormed()}…`
}

function stackOf({ stack = '' }: Error): string {
  const frames = framesBegin.exec(stack)
  return frames ? stack.slice(frames.index + 1) : ''
}

/** The log form of an error: where it comes from and what went wrong, without any customer data. */
function errorForLog(error: unknown, level = 0): unknown {
  if (typeof error !== 'object' || error === null) return error
  const members = error as Members
  if (!(error instanceof Error)) return { type: 'object', message: members['message'] }
  const place = isOfDatabase(members)
    ? placeInDatabase.flatMap((name) => (typeof members[name] === 'string' ? [[name, members[name]] as const] : []))
    : []
  const causes = error instanceof AggregateError ? (error.errors as unknown[]).slice(0, causesMax) : []
  const isDeep = level >= causesMax
  return {
    type: error.constructor.name,
    message: messageOf(error),
    ...(typeof members['code'] === 'string' && { code: members['code'] }),
    ...(typeof members['syscall'] === 'string' && { syscall: members['syscall'] }),
    ...Object.fromEntries(place),
    stack: stackOf(error),
    ...(error.cause !== undefined && !isDeep && { cause: errorForLog(error.cause, level + 1) }),
    ...(causes.length > 0 && !isDeep && { errors: causes.map((cause) => errorForLog(cause, level + 1)) }),
  }
}

/** The level of the lines of requests. */
export const infoLevel = pino.levels.values['info']!

/** A destination that may write lines together. */
export interface LaterLines extends DestinationStream {
  /** Writes the line at the latest after 200 ms, with others. */
  writeLater?(line: string): void
}

const batchBytes = 4096
const laterMs = 200

/** Stdout. Lines of requests are written together, because a system call for each would cost more than the rest of the line. */
function stdout(): LaterLines {
  const output = pino.destination({ fd: 1, sync: true, minLength: batchBytes })
  const flush = (): void => output.flushSync()
  setInterval(flush, laterMs).unref()
  process.once('exit', flush)
  return {
    write(line) {
      output.write(line)
      output.flushSync()
    },
    writeLater: (line) => void output.write(line),
  }
}

/** Opens the log of a process: JSON lines on stdout. */
export const openLog = (level: string, destination: LaterLines = stdout()): Logger =>
  pino({ level, base: null, serializers: { err: errorForLog } }, destination)
