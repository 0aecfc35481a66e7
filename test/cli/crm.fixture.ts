import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import type { Command, Ended } from './resident-crm.ts'

/** As it was built for the tests. */
const program = join(projectRoot, 'bin/crm')

let resident: ChildProcess | null = null
let commands = 0

/** Has the resident process carry out a command, which takes a tenth of the time of a process of its own. */
async function carriedOut(command: Command): Promise<Ended> {
  const child = (resident ??= fork(join(projectRoot, 'test/cli/resident-crm.ts'), { execArgv: [] }))
  // It ends with this process.
  child.unref()
  child.channel!.unref()
  const id = ++commands
  const ended = new Promise<Ended>((resolve, reject) => {
    const answer = (message: unknown): void => {
      const { id: of, ended: outcome } = message as { readonly id: number; readonly ended: Ended }
      if (of !== id) return
      child.off('message', answer).off('exit', lost)
      resolve(outcome)
    }
    const lost = (): void => {
      resident = null
      reject(new Error(`crm ${command.args.join(' ')} has ended the process that carries out commands.`))
    }
    child.on('message', answer).once('exit', lost)
  })
  child.send({ id, command })
  return ended
}

/** The command line, in a folder and with a configuration of its own. */
export class Crm {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>

  constructor(folder: string, environment: Readonly<Record<string, string>>) {
    this.folder = folder
    this.environment = environment
  }

  /** The same in another folder, or with other variables. */
  in(folder: string, environment: Readonly<Record<string, string>> = {}): Crm {
    return new Crm(join(this.folder, folder), { ...this.environment, ...environment })
  }

  get configFolder(): string {
    return join(this.environment['XDG_CONFIG_HOME']!, 'crm')
  }

  /** Starts a command as a process, in a pipe. */
  start(...args: readonly string[]): Started {
    return new Started(spawn(program, args, { cwd: this.folder, env: this.environment }))
  }

  /** Runs a command with this text as its standard input. */
  run(args: readonly string[], input = ''): Promise<Ended> {
    return carriedOut({ folder: this.folder, environment: this.environment, args, input })
  }

  /** Like `run`, as a process: for what a process has of its own, such as its exit code and its pipes. */
  async runProcess(args: readonly string[], input = ''): Promise<Ended> {
    const started = this.start(...args)
    started.child.stdin!.end(input)
    return started.ended
  }

  /** Starts a command in a terminal: what is typed is its input, and what it shows is in `stdout`. */
  inTerminal(...args: readonly string[]): Started {
    const quoted = [program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    const env = { ...this.environment, TERM: 'xterm-256color' }
    return new Started(
      spawn('script', ['-qefc', `stty cols 120 rows 40; exec ${quoted}`, '/dev/null'], { cwd: this.folder, env }),
    )
  }

  /** Runs a command with `--json`, which must end with this exit code, and returns the document. */
  async json<T = Record<string, never>>(args: readonly string[], code = 0): Promise<T> {
    const ended = await this.run([...args, '--json'])
    if (ended.code !== code)
      throw new Error(`crm ${args.join(' ')} ended with ${ended.code}: ${ended.stdout}${ended.stderr}`)
    return JSON.parse(ended.stdout) as T
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, path)), { recursive: true })
      await writeFile(join(this.folder, path), text)
    }
  }
}

export class Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  stdout = ''
  stderr = ''

  constructor(child: ChildProcess) {
    this.child = child
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    // A program that does not read ends before its input does.
    child.stdin!.on('error', () => undefined)
    this.ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      stdout: this.stdout,
      stderr: this.stderr,
    }))
  }

  /** Resolves when it has shown a text. */
  async shows(text: string): Promise<void> {
    for (;;) {
      if (this.stdout.includes(text) || this.stderr.includes(text)) return
      const ended = await Promise.race([
        this.ended,
        once(this.child.stdout!, 'data').then(() => null),
        once(this.child.stderr!, 'data').then(() => null),
      ])
      if (ended) throw new Error(`It has ended without ${text}: ${ended.stdout}${ended.stderr}`)
    }
  }

  type(text: string): void {
    this.child.stdin!.write(text)
  }
}

/** A command line in an empty folder, with nothing in its environment but these variables. */
export async function aCrm(environment: Readonly<Record<string, string>> = {}): Promise<Crm> {
  const home = await mkdtemp(join(tmpdir(), 'crm-cli-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const folder = join(home, 'work')
  await mkdir(folder)
  return new Crm(folder, {
    PATH: process.env['PATH']!,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    ...environment,
  })
}

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A server until the end of the test, and its address. */
export async function aServer(answer: (received: Received, res: ServerResponse) => unknown): Promise<string> {
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray())
    await answer({ method: req.method!, path: req.url!, headers: req.headers, body }, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const passedOn = ['x-api-key', 'content-type', 'content-digest', 'idempotency-key', 'accept', 'range']

/** A server before another one, which it has under a prefix: it passes on what `interfere` does not answer by itself. */
export function aProxy(
  url: string,
  interfere: (received: Received, res: ServerResponse, passOn: () => Promise<Response>) => Promise<boolean> | boolean,
  prefix = '',
): Promise<string> {
  return aServer(async (received, res) => {
    const { method, path, body } = received
    const headers = passedOn.flatMap((name) => {
      const value = received.headers[name]
      return value === undefined ? [] : [[name, String(value)] as [string, string]]
    })
    const target = url + (path.startsWith(prefix) ? path.slice(prefix.length) : '/nothing')
    const passOn = () => fetch(target, { method, headers, ...(body.length > 0 && { body: new Uint8Array(body) }) })
    if (await interfere(received, res, passOn)) return
    const answer = await passOn()
    const type = answer.headers.get('content-type')
    res.writeHead(answer.status, type === null ? {} : { 'content-type': type })
    res.end(Buffer.from(await answer.arrayBuffer()))
  })
}
