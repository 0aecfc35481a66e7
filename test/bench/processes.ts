import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import type { BaselineSettings } from './baseline-queries.ts'
import type { LoadOrder, LoadReport } from './load-process.ts'

const here = import.meta.dirname
const ticksPerSecond = 100
const readyTimeoutMs = 60_000

/** A server in a separate process. */
export class Server {
  constructor(
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  get pid(): number {
    return this.child.pid!
  }

  /** User and system CPU time of the process, in microseconds. */
  cpuUs(): number {
    const stat = readFileSync(`/proc/${this.child.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1e6) / ticksPerSecond
  }

  rssMb(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))!
    return Number(kilobytes) / 1024
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return
    this.child.kill('SIGTERM')
    await once(this.child, 'exit')
  }
}

const childEnvironment = (extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  NODE_ENV: 'production',
  ...extra,
})

export async function startBaseline(kind: 'raw' | 'express', settings: BaselineSettings): Promise<Server> {
  const child = fork(join(here, 'baseline-process.ts'), [kind, JSON.stringify(settings)], {
    execArgv: [],
    env: childEnvironment({}),
  })
  const [port] = (await once(child, 'message')) as [number]
  return new Server(port, child)
}

export interface ProjectOptions {
  readonly dataDir: string
  /** Services whose database and master key the project uses; null for the embedded database and a new key in `dataDir`. */
  readonly services: Pick<OpenServices, 'databaseUrl' | 'keys'> | null
  /** Folder with `dist` and `schema`. */
  readonly root?: string
  readonly nodeOptions?: readonly string[]
  readonly demo?: boolean
  /** False for a process that serves requests only, so that no job or reaction to an event runs beside them. */
  readonly background?: boolean
  /** Additional environment variables. */
  readonly environment?: Readonly<Record<string, string>>
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

async function isReady(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 200
  } catch {
    return false
  }
}

/** Starts the compiled project as one process, with everything enabled except the limits per client address. */
export async function startProject(options: ProjectOptions): Promise<Server & { readonly readyMs: number }> {
  const {
    dataDir,
    services,
    root = projectRoot,
    nodeOptions = [],
    demo = false,
    background = true,
    environment = {},
  } = options
  const port = await freePort()
  const settings = {
    PORT: String(port),
    DATA_DIR: dataDir,
    DEMO: demo ? 'on' : 'off',
    IP_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    ...environment,
  }
  const env = childEnvironment({
    ...settings,
    ...(services && {
      DATABASE_URL: services.databaseUrl,
      ENCRYPTION_KEY: services.keys.encryption.toString('base64'),
    }),
    NODE_OPTIONS: nodeOptions.join(' '),
  })
  const startedAt = performance.now()
  const child = spawn(join(root, 'bin/run'), ['main', ...(background ? [] : ['gateway'])], {
    env,
    stdio: ['ignore', process.env['BENCH_LOG'] ? 'inherit' : 'ignore', 'inherit'],
  })
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error('The project ended before it was ready.')
    if (performance.now() - startedAt > readyTimeoutMs) throw new Error('The project did not become ready.')
    await delay(10)
  }
  return Object.assign(new Server(port, child), { readyMs: performance.now() - startedAt })
}

/** The load generator, in a separate process. */
export class Load {
  private constructor(private readonly child: ChildProcess) {}

  static start(): Load {
    return new Load(fork(join(here, 'load-process.ts'), { execArgv: [] }))
  }

  async run(order: LoadOrder): Promise<LoadReport> {
    this.child.send(order)
    const [{ report, failure }] = (await once(this.child, 'message')) as [{ report?: LoadReport; failure?: string }]
    if (!report) throw new Error(failure)
    return report
  }

  stop(): void {
    this.child.kill()
  }
}
