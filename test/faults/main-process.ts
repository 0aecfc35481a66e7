import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Demo } from '../../subgraphs/demo/demo-file.ts'
import { aProcess, type Process } from '../processes.ts'

/** An empty folder that is deleted after the test. */
export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-process-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  return folder
}

/** The whole platform in a process of its own, ready, until the end of the test. */
export async function startedMain(environment: Readonly<Record<string, string>>): Promise<Process> {
  const process = await aProcess(['bin/run', 'main'], { LOG_LEVEL: 'warn', IP_LIMITS: 'off', ...environment })
  onTestFinished(() => process.kill())
  await process.start()
  return process
}

export const demoOf = (folder: string): Demo => JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as Demo

/** The key of the first organization of the demo that may do everything. */
export const keyOf = (demo: Demo): string =>
  demo.organizations[0]!.apiKeys.find(({ scopes }) => scopes.includes('*'))!.secret
