import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FromChild, ToChild } from './messages.ts'

const childFile = fileURLToPath(new URL(`./child${import.meta.url.slice(-3)}`, import.meta.url))

/** The Node of the project if it has one, because the native module is built for its version. */
function nodeFile(): string {
  try {
    const own = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin/node')
    if (existsSync(own)) return own
  } catch {
    // The project has no Node of its own.
  }
  return process.execPath
}

const flags = [
  '--no-node-snapshot',
  '--permission',
  '--allow-addons',
  '--allow-fs-read=*',
  '--max-semi-space-size=1',
  '--no-warnings',
]
const startMsMax = 15_000

/** A child process with an empty environment that may read files and do nothing else of the system. It ends when its channel closes. */
export class SandboxChild {
  readonly #process: ChildProcess
  readonly #start: NodeJS.Timeout
  /** It waits for a program. */
  isReady = false
  isStarting = true
  /** It takes no further program. */
  isEnding = false

  constructor(onMessage: (message: FromChild) => void, onEnd: () => void) {
    this.#process = spawn(nodeFile(), [...flags, childFile], {
      env: {},
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'json',
    })
    this.#start = setTimeout(() => this.kill(), startMsMax)
    this.#process.on('message', (message: FromChild) => {
      if (message.type === 'ready') {
        this.isReady = true
        this.isStarting = false
        clearTimeout(this.#start)
      }
      onMessage(message)
    })
    let hasEnded = false
    const end = (): void => {
      clearTimeout(this.#start)
      this.isEnding = true
      if (hasEnded) return
      hasEnded = true
      onEnd()
    }
    this.#process.on('error', end)
    this.#process.on('exit', end)
    this.rest()
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  send(message: ToChild): void {
    // The end of the child tells what a failed message means.
    if (this.#process.connected) this.#process.send(message, () => undefined)
  }

  /** While it works, this process stays alive for it. */
  work(): void {
    this.#process.ref()
    this.#process.channel?.ref()
  }

  rest(): void {
    this.#process.unref()
    this.#process.channel?.unref()
  }

  kill(): void {
    this.isEnding = true
    this.#process.kill('SIGKILL')
  }
}
