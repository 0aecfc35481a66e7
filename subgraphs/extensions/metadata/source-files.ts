import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { threadTask } from '../../kernel/work/thread-task.ts'
import type { packed, unpacked } from './archive.ts'
import { fileBytesMax, filesMax, pathMax, sourceBytesMax, unpackedBytesMax } from './bounds.ts'

/** The texts of files by their paths. */
export type SourceFiles = ReadonlyMap<string, string>

const unpackTask = threadTask<typeof unpacked>(import.meta.url, './archive', 'unpacked')
const packTask = threadTask<typeof packed>(import.meta.url, './archive', 'packed')

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

const shown = (path: string): string => path.slice(0, pathMax)

/** Files that systems add to folders and archives. */
const isNoise = (path: string): boolean =>
  path.split('/').some((part) => part === '__MACOSX' || part === '.DS_Store' || part === 'Thumbs.db')

/**
 * A path with slashes and without `.`; null for one that leaves the project. Archives of Windows have backslashes, and those of macOS decomposed
 * characters.
 */
export function normalizedPath(given: string): string | null {
  const path = given.replaceAll('\\', '/').normalize('NFC')
  if (path === '' || path.length > pathMax || path.startsWith('/') || /^[a-z]:/i.test(path) || !isStorable(path))
    return null
  const parts = path.split('/').filter((part) => part !== '.')
  const isWrong = parts.some((part) => part === '' || part === '..' || /\p{Cc}/u.test(part))
  return isWrong || parts.length === 0 ? null : parts.join('/')
}

interface Collected {
  readonly files: Map<string, string>
  readonly problems: FieldProblem[]
}

function add({ files, problems }: Collected, place: string, given: string, text: string | null): void {
  const path = normalizedPath(given)
  const at = `${place}.${shown(given)}`
  if (path === null)
    problems.push(
      problem(at, 'WRONG_PATH', `${at} must be a path of at most ${pathMax} characters inside of the project.`),
    )
  else if (isNoise(path)) return
  else if (text === null) problems.push(problem(at, 'NOT_TEXT', `${at} must be text in UTF-8.`))
  else if (files.has(path)) problems.push(problem(at, 'NOT_UNIQUE', `${at} must be given once.`))
  else files.set(path, text)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Texts without a NUL character; null for other bytes. */
function decoded(bytes: Uint8Array): string | null {
  try {
    const text = utf8.decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

function fromTexts(given: Readonly<Record<string, unknown>>): Collected {
  const collected: Collected = { files: new Map(), problems: [] }
  const entries = Object.entries(given)
  let bytes = 0
  if (entries.length > filesMax)
    collected.problems.push(problem('source.files', 'TOO_MANY', `source.files must have at most ${filesMax} files.`))
  else
    for (const [path, text] of entries) {
      if (collected.problems.length >= 20) break
      const isText = typeof text === 'string' && isStorable(text)
      const size = isText ? Buffer.byteLength(text) : 0
      bytes += size
      if (size > fileBytesMax) {
        const at = `source.files.${shown(path)}`
        collected.problems.push(problem(at, 'TOO_LARGE', `${at} must have at most ${fileBytesMax} bytes.`))
      } else add(collected, 'source.files', path, isText ? withoutMark(text) : null)
    }
  if (bytes > sourceBytesMax)
    collected.problems.push(
      problem('source.files', 'TOO_LARGE', `source.files must have at most ${sourceBytesMax} bytes together.`),
    )
  return collected
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

async function fromArchive({ work, caller }: RequestContext<'work'>, zip: string): Promise<Collected> {
  const refused = (code: string, message: string): Collected => ({
    files: new Map(),
    problems: [problem('source.zip', code, message)],
  })
  if (!base64.test(zip)) return refused('WRONG_FORMAT', 'source.zip must be base64.')
  const bytes = new Uint8Array(Buffer.from(zip, 'base64'))
  if (bytes.length > sourceBytesMax)
    return refused('TOO_LARGE', `source.zip must have at most ${sourceBytesMax} bytes.`)
  const limits = { filesMax, fileBytesMax, unpackedBytesMax }
  const result = await work.run(unpackTask, { bytes, limits }, caller.organizationId)
  if ('refusal' in result) return refused(result.refusal.code, result.refusal.message)
  const collected: Collected = { files: new Map(), problems: [] }
  for (const [path, content] of Object.entries(result.files)) {
    if (collected.problems.length >= 20) break
    add(collected, 'source.zip', path, decoded(content))
  }
  return collected
}

export interface GivenSource {
  readonly files?: unknown
  readonly zip?: string | null
}

/** The files that a client sends, by their normalized paths. Refuses what is no project before anything else is looked at. */
export async function filesOfSource(
  ctx: RequestContext<'work'>,
  { files = null, zip = null }: GivenSource,
): Promise<SourceFiles> {
  if ((files === null) === (zip === null))
    throw invalid(problem('source', 'REQUIRED', 'source must have either files or zip.'))
  if (files !== null && !isJsonObject(files))
    throw invalid(problem('source.files', 'WRONG_TYPE', 'source.files must be an object of paths and texts.'))
  const collected = zip === null ? fromTexts(files as Record<string, unknown>) : await fromArchive(ctx, zip)
  if (collected.problems.length > 0) throw invalid(...collected.problems)
  if (collected.files.size === 0) throw invalid(problem('source', 'EMPTY', 'source must have at least one file.'))
  return collected.files
}

export const packedFiles = (
  { work, caller }: RequestContext<'work'>,
  files: Readonly<Record<string, string>>,
): Promise<string> => work.run(packTask, files, caller.organizationId)

const compress = promisify(deflate)
const expand = promisify(inflate)

/** Files in the form in which they wait for their deployment. */
export const storedFiles = (files: SourceFiles): Promise<Buffer> => compress(JSON.stringify([...files]))

export async function filesStored(bytes: Uint8Array): Promise<SourceFiles> {
  const text = await expand(bytes, { maxOutputLength: 2 * unpackedBytesMax + 16 * filesMax * pathMax })
  return new Map(JSON.parse(text.toString('utf8')) as [string, string][])
}
