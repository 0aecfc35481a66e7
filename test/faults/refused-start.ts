import { expect } from 'vitest'
import { aProcess } from '../processes.ts'
import { aFolder } from './main-process.ts'

/** A start ends with one line of output that contains these words, and no password. */
export async function expectOneLine(
  words: string,
  environment: Readonly<Record<string, string>>,
  command: readonly string[] = ['bin/run', 'main'],
): Promise<void> {
  const folder = await aFolder()
  const process = await aProcess(command, { DATA_DIR: folder, DEMO: 'off', LOG_LEVEL: 'warn', ...environment })
  await expect(process.start()).rejects.toThrow(words)
  expect(process.output().trim().split('\n')).toHaveLength(1)
  expect(process.output()).not.toContain('hunter2')
}
