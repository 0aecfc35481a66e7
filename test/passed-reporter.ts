import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, TestModule, TestSpecification } from 'vitest/node'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'
import { codeHash, passed, passedFile } from './changed-code.ts'
import { systemTests } from './system-tests.ts'

const testOf = (moduleId: string): string => relative(projectRoot, moduleId)

/** Writes with which code the system tests of a run passed: those of which every test ran, and whose code did not change meanwhile. */
export class PassedReporter implements Reporter {
  #begun = new Map<string, string>()

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const tests = specifications.map(({ moduleId }) => testOf(moduleId)).filter((test) => test in systemTests)
    this.#begun = new Map(tests.map((test) => [test, codeHash(test)]))
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const known = passed()
    const before = JSON.stringify(known)
    for (const module of modules) {
      const test = testOf(module.moduleId)
      const hash = this.#begun.get(test)
      if (hash === undefined || !hasPassed(module) || codeHash(test) !== hash) continue
      known[test] = hash
    }
    const existing = Object.entries(known).filter(([test]) => test in systemTests)
    const sorted = Object.fromEntries(existing.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    if (JSON.stringify(sorted) === before) return
    writeFileSync(passedFile, `${JSON.stringify(sorted, null, 2)}\n`)
  }
}

const hasPassed = (module: TestModule): boolean =>
  module.state() === 'passed' && [...module.children.allTests()].every((test) => test.result().state === 'passed')
