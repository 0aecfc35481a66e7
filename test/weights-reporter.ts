import { readFileSync, writeFileSync, existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'

/** Milliseconds that each test file takes, by its path. Written by `npm run test:weights`, read by the sequencer. */
export const weightsFile = join(projectRoot, 'test/weights.json')

/** Writes how long each file of a run took. Files of other runs keep their weights, and deleted files lose them. */
export class WeightsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const known = existsSync(weightsFile)
      ? (JSON.parse(readFileSync(weightsFile, 'utf8')) as Record<string, number>)
      : {}
    for (const module of modules) {
      const { duration, setupDuration, collectDuration } = module.diagnostic()
      known[relative(projectRoot, module.moduleId)] = Math.round(duration + setupDuration + collectDuration)
    }
    const existing = Object.entries(known).filter(([file]) => existsSync(join(projectRoot, file)))
    const sorted = existing.toSorted(([a], [b]) => (a < b ? -1 : 1))
    writeFileSync(weightsFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
  }
}
