import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { invalid, Refusal, type FieldProblem } from '../subgraphs/kernel/errors.ts'
import { isStorable, jsonDepthMax } from '../subgraphs/kernel/record/scalars.ts'

export const bodyBytesMax = 1_048_576

const json = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i
const empty = Buffer.alloc(0)
const problemsMax = 50

/** The raw body. One that is too large is refused as soon as that is known; its rest is thrown away. */
export function readBody(req: IncomingMessage): Promise<Buffer> {
  const length = Number(req.headers['content-length'] ?? 0)
  if (length > bodyBytesMax) return Promise.reject(tooLarge(req))
  if (length === 0 && req.headers['transfer-encoding'] === undefined) return Promise.resolve(empty)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) chunks.push(chunk)
      else reject(tooLarge(req))
    })
    req.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    req.on('error', reject)
    req.on('close', () => reject(new Refusal('INVALID_JSON', 'The body ended early.')))
  })
}

function tooLarge(req: IncomingMessage): Refusal {
  req.removeAllListeners('data').resume()
  return new Refusal('PAYLOAD_TOO_LARGE', `A body has at most ${bodyBytesMax} bytes.`)
}

/** The body as JSON, refused where no operation could accept it. Of a key that occurs twice the last one counts. */
export function parseBody(raw: Buffer, headers: IncomingMessage['headers']): unknown {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.')
  }
  if (!json.test(headers['content-type'] ?? '')) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON in UTF-8, sent as application/json.')
  }
  if (!isUtf8(raw)) throw new Refusal('INVALID_JSON', 'The body is not UTF-8.')
  let body: unknown
  try {
    body = JSON.parse(raw.toString('utf8'))
  } catch {
    throw new Refusal('INVALID_JSON', 'The body is not JSON.')
  }
  const unfit = unfitIn(body)
  if (unfit.length > 0) throw refusalOf(unfit)
  return body
}

/** One refusal of several problems: `UNKNOWN_FIELD` when a field is unknown, whatever else is wrong. */
export function refusalOf(problems: readonly FieldProblem[]): Refusal {
  const shown = problems.slice(0, problemsMax)
  const unknown = shown.find(({ code }) => code === 'UNKNOWN_FIELD')
  if (!unknown) return invalid(...shown)
  const detail = shown.length === 1 ? unknown.message : `${shown.length} inputs are not valid.`
  return new Refusal('UNKNOWN_FIELD', detail, { errors: [unknown, ...shown.filter((problem) => problem !== unknown)] })
}

/** What no schema can say: text that cannot be stored, keys that mean something to JavaScript, endless nesting. */
export function unfitIn(value: unknown): FieldProblem[] {
  const problems: FieldProblem[] = []
  examine(value, '', 0, problems)
  return problems
}

function examine(value: unknown, path: string, depth: number, problems: FieldProblem[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) problems.push(notText(path))
    return
  }
  if (typeof value !== 'object' || value === null || problems.length >= problemsMax) return
  if (depth >= jsonDepthMax) {
    problems.push({ path, code: 'TOO_DEEP', message: `A body is nested at most ${jsonDepthMax} levels deep.` })
    return
  }
  const prefix = path === '' ? '' : `${path}.`
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) examine(value[index], `${prefix}${index}`, depth + 1, problems)
    return
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') {
      problems.push({
        path: `${prefix}__proto__`,
        code: 'UNKNOWN_FIELD',
        message: 'A field cannot be called __proto__.',
      })
    } else if (isStorable(key)) examine((value as Record<string, unknown>)[key], prefix + key, depth + 1, problems)
    else problems.push(notText(path))
  }
}

const notText = (path: string): FieldProblem => ({
  path,
  code: 'NOT_TEXT',
  message: `${path === '' ? 'The body' : path} contains a NUL character or half of a surrogate pair.`,
})
