import { Field, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { LogLevel } from '../function/function.enumerations.ts'
import { shownLogCharactersMax } from './bounds.ts'

export const MetadataTestStatus = enumeration('MetadataTestStatus', 'How a test of a function has ended.', {
  PASSED: 'The function ended as the test expects.',
  FAILED: 'The function ended in another way, or sent a request that the test has no answer to.',
  ERROR:
    'It could not be said: the function does not compile, was ended by a limit, or may not run, or the time of the run was over.',
})
export type MetadataTestStatus = keyof typeof MetadataTestStatus

export const MetadataTestRunStatus = enumeration('MetadataTestRunStatus', 'How a run of tests has ended.', {
  PASSED: 'Each test has passed, and the files have no problems.',
  FAILED: 'A test has not passed, or the files have problems.',
})
export type MetadataTestRunStatus = keyof typeof MetadataTestRunStatus

@ObjectType({ description: 'A line that a function wrote to its log in a test.' })
export class MetadataTestLog {
  @Field(() => LogLevel, { simple: true, description: 'How important it is.' })
  level!: LogLevel

  @OutputField(() => String, { description: 'The line.', example: '91 points are A' })
  text!: string
}

@ObjectType({ description: 'What became of a test of a function.' })
@RequiresScopes('MANAGE_METADATA')
export class MetadataTestOutcome {
  @OutputField(() => String, { description: '`apiName` of the function.', example: 'grade_inspection' })
  function!: string

  @OutputField(() => String, { description: 'Name of the test: that of its file.', example: 'best_grade' })
  name!: string

  @OutputField(() => String, {
    description: 'Path of its file in the project.',
    example: 'src/functions/grade_inspection/tests/best_grade.json',
  })
  file!: string

  @OutputField(() => MetadataTestStatus, { description: 'How it has ended.', example: 'PASSED' })
  status!: MetadataTestStatus

  @OutputField(() => String, {
    nullable: true,
    description: 'Path of the value in the file that is not met; null if it has passed, and if no value is concerned.',
    example: null,
  })
  path!: string | null

  @OutputField(() => String, { nullable: true, description: 'Why it has not passed; null if it has.', example: null })
  message!: string | null

  @OutputField(() => Int, { description: 'Milliseconds that the function ran.', example: 12 })
  durationMs!: number
}

@ObjectType({ description: 'What became of a test of a function, with what the function has logged.' })
@RequiresScopes('MANAGE_METADATA')
export class MetadataTestResult extends MetadataTestOutcome {
  @OutputField(() => MetadataTestLog, {
    list: true,
    description: `What the function has logged: the first lines, at most ${shownLogCharactersMax} characters.`,
  })
  logs!: MetadataTestLog[]
}
