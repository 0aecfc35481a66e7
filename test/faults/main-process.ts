import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
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
