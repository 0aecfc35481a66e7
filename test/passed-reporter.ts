import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'
import { codeHash, passed, passedFile } from './changed-code.ts'
import { systemTests } from './system-tests.ts'

/** Writes with which code the system tests of a run passed. */
export class PassedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const known = passed()
    const before = JSON.stringify(known)
    for (const module of modules) {
      const test = relative(projectRoot, module.moduleId)
      if (test in systemTests && module.state() === 'passed') known[test] = codeHash(test)
    }
    const existing = Object.entries(known).filter(([test]) => test in systemTests)
    const sorted = Object.fromEntries(existing.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    if (JSON.stringify(sorted) === before) return
    writeFileSync(passedFile, `${JSON.stringify(sorted, null, 2)}\n`)
  }
}
