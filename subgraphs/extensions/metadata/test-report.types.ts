import { Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { runTestsMax } from '../function-test/bounds.ts'
import { MetadataTestResult, MetadataTestRunStatus } from '../function-test/function-test.types.ts'
import { problemsMax } from './bounds.ts'
import { MetadataProblem } from './deployment.types.ts'

@ObjectType({ description: 'What became of a run of tests of functions.' })
@RequiresScopes('MANAGE_METADATA')
export class MetadataTestReport {
  @OutputField(() => MetadataTestRunStatus, { description: 'Whether all is well.', example: 'PASSED' })
  status!: MetadataTestRunStatus

  @OutputField(() => Int, { description: 'Tests that have passed.', example: 1 })
  passed!: number

  @OutputField(() => Int, { description: 'Tests with the status FAILED or ERROR.', example: 0 })
  failed!: number

  @OutputField(() => MetadataTestResult, {
    list: true,
    maxItems: runTestsMax,
    description:
      'The tests in the order in which they ran: by function, then by name. Empty if the files have problems.',
  })
  tests!: MetadataTestResult[]

  @OutputField(() => MetadataProblem, {
    list: true,
    maxItems: problemsMax,
    description: `What is wrong with the files: at most ${problemsMax} problems. Of tests that have not passed, the tests say why.`,
  })
  problems!: MetadataProblem[]
}
