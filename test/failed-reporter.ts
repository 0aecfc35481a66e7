import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'

/** Where a run writes which of its test files failed, as a JSON list of paths. */
export const failedFilesVariable = 'FAILED_FILES'

/** An error outside of tests fails the run without being one of a file, so nothing is written. */
export class FailedReporter implements Reporter {
  constructor(private readonly path: string) {}

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    if (errors.length > 0) return
    const failed = modules.filter((module) => module.state() === 'failed')
    const files = failed.map(({ moduleId }) => relative(projectRoot, moduleId))
    writeFileSync(this.path, JSON.stringify([...new Set(files)]))
  }
}
