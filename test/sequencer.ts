import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'
import { weightsFile } from './weights-reporter.ts'

const weights: Readonly<Record<string, number>> = existsSync(weightsFile)
  ? (JSON.parse(readFileSync(weightsFile, 'utf8')) as Record<string, number>)
  : {}

/** Starts the longest files first, so that no core waits for a long one in the end. A file without a weight is taken for a long one. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weightOf = ({ moduleId }: TestSpecification): number =>
      weights[relative(projectRoot, moduleId)] ?? Number.MAX_SAFE_INTEGER
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => weightOf(b) - weightOf(a))
  }
}
