import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'
import { freePort } from './redis-server.ts'

const executable = '/usr/sbin/nginx'

export const hasNginx = existsSync(executable)

interface Compose {
  readonly services: { readonly edge: { readonly command: readonly string[] } }
}

/** The configuration of the service `edge` in docker-compose.yml. */
function shippedSettings(): string {
  const { load } = createRequire(import.meta.url)('js-yaml') as { load(text: string): unknown }
  const { services } = load(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8')) as Compose
  const script = services.edge.command.at(-1)!
  return /<<'CONF'\n([\s\S]*?)\n\s*CONF\n/.exec(script)![1]!.replaceAll('$$', '$')
}

/** A text of the settings that the test must find, because it replaces it. */
function replaced(settings: string, text: string | RegExp, by: string): string {
  if (settings.search(text) < 0) throw new Error(`The nginx settings of docker-compose.yml have no ${String(text)}.`)
  return settings.replace(text, by)
}

/** Runs nginx with the settings of docker-compose.yml in front of two gateways, whose names are not resolved by Docker here. */
export async function startNginx(gateways: readonly [string, string]): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'crm-nginx-'))
  await mkdir(join(folder, 'temp'))
  let settings = replaced(shippedSettings(), /resolver .*;/, '')
  settings = replaced(settings, 'listen 80;', `listen 127.0.0.1:${port};`)
  for (const [index, gateway] of gateways.entries())
    settings = replaced(settings, `server gateway-${index + 1}:4000 resolve `, `server ${new URL(gateway).host} `)
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = kinds.map((kind) => `${kind}_temp_path ${folder}/temp/${kind};`).join('\n')
  const conf = `daemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${settings}\n}\n`
  await writeFile(join(folder, 'nginx.conf'), conf)
  const child = spawn(executable, ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')])
  process.once('exit', () => child.kill('SIGKILL'))
  const printed: string[] = []
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  const failed = ended.then(() => Promise.reject(new Error(`nginx ended:\n${printed.join('')}`)))
  await Promise.race([vi.waitFor(() => fetch(`${url}/health/live`), { timeout: 10_000, interval: 20 }), failed])
  failed.catch(() => undefined)
  return {
    url,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
