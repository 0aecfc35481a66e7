import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { createClient } from 'redis'

const executable = '/usr/bin/redis-server'

export const hasRedisServer = existsSync(executable)

export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Accepts connections but does not respond, like a machine that hangs. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/** Below the ports that the system gives to connections and servers, so that none takes the port while its process is started again. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

/** Starts an in-memory Redis for one test. */
export async function startRedis(port?: number): Promise<RedisServer> {
  const chosen = port ?? (await freePort())
  const child = spawn(executable, ['--port', String(chosen), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'])
  process.once('exit', () => child.kill('SIGKILL'))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('Ready to accept connections')) resolve()
    })
  })
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Returns the commands that all clients send to Redis while `work` runs, without the commands that scripts call. */
export async function redisCommandsDuring(url: string, work: () => Promise<unknown>): Promise<string[]> {
  const [monitor, marker] = [createClient({ url }), createClient({ url })]
  await Promise.all([monitor.connect(), marker.connect()])
  const commands: string[] = []
  const seen = Promise.withResolvers<void>()
  await monitor.monitor((line: string) => {
    const [, client, command] = /^\S+ \[\d+ (\S+)\] "(\w+)"/.exec(line)!
    if (command === 'ECHO') seen.resolve()
    else if (client !== 'lua') commands.push(command!)
  })
  await work()
  await marker.echo('end')
  await seen.promise
  monitor.destroy()
  marker.destroy()
  return commands
}
