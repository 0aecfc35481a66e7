import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseMemoryMb, parseMsMax } from './bounds.ts'
import { ParseFailure, type FailureCode } from './parse/block.ts'
import type { Parsed } from './parse/parse.ts'

const parserFile = fileURLToPath(new URL(`./parse/parser${import.meta.url.slice(-3)}`, import.meta.url))
const flags = ['--permission', '--allow-fs-read=*', '--no-warnings', '--max-old-space-size=256']
const watchEveryMs = 10
const pageBytes = 4_096
const answerMax = 64 * 1_048_576

const tooComplex = (): ParseFailure =>
  new ParseFailure('TOO_COMPLEX', `Reading the document takes more than ${parseMsMax / 1000} s or ${parseMemoryMb} MB.`)

/**
 * Parses a document in a process of its own, which can read files and do nothing else of the system: buffers of a thread would count against
 * no limit, so a compressed file could take the memory of everybody. Throws a `ParseFailure` when the document is to blame.
 */
export async function parseDocument(format: string, content: Readable, signal: AbortSignal): Promise<Parsed> {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [...flags, parserFile, format], {
    env: {},
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  const deadline = setTimeout(kill, parseMsMax)
  const watch = setInterval(
    () => void rssOf(child.pid).then((bytes) => bytes > parseMemoryMb * 1_048_576 && kill()),
    watchEveryMs,
  )
  signal.addEventListener('abort', kill)
  try {
    const ended = new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    const chunks: Buffer[] = []
    let length = 0
    child.stdout.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > answerMax) kill()
      else chunks.push(chunk)
    })
    // The child may end before it has read everything; its end says why.
    const sent = pipeline(content, child.stdin).catch((error: NodeJS.ErrnoException) => {
      if (!['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(error.code ?? '')) {
        kill()
        throw error
      }
    })
    const [code] = await Promise.all([ended, sent])
    signal.throwIfAborted()
    if (code !== 0 || length > answerMax) throw tooComplex()
    return answerOf(Buffer.concat(chunks).toString())
  } finally {
    clearTimeout(deadline)
    clearInterval(watch)
    signal.removeEventListener('abort', kill)
    kill()
  }
}

function answerOf(json: string): Parsed {
  const answer = JSON.parse(json) as
    Parsed | { readonly failure: { readonly code: FailureCode; readonly message: string } }
  if ('failure' in answer) throw new ParseFailure(answer.failure.code, answer.failure.message)
  return answer
}

async function rssOf(pid: number | undefined): Promise<number> {
  try {
    const [, pages] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')
    return Number(pages) * pageBytes
  } catch {
    return 0
  }
}
