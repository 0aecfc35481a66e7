import { Field, ID, Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { FunctionLanguage } from './function.enumerations.ts'

@ObjectType()
abstract class VersionParts {
  @OutputField(() => ID, { description: 'Id of the version.', example: '019a0c5e-7f00-7f10-8a44-3b6d1e8c2f07' })
  id!: string

  @NamesRecord('serverless_function')
  @OutputField(() => ID, { description: 'Id of the function.', example: '019a0c5e-7f00-7e52-9b13-4d7c2a9e6f05' })
  functionId!: string

  @OutputField(() => Int, { description: 'Number of the version in its function, from 1.', example: 1 })
  number!: number

  @Field(() => FunctionLanguage, { simple: true, description: 'Language of the source.' })
  language!: FunctionLanguage

  @OutputField(() => String, {
    nullable: true,
    description: 'What is different in it; null without a note.',
    example: 'Scores chiefs first.',
  })
  note!: string | null

  @OutputField(() => Boolean, { description: 'True if it is the version that is deployed.', example: true })
  isDeployed!: boolean

  @OutputField(() => DateTime, { description: 'When it was saved.', example: '2026-11-02T08:15:00.000Z' })
  createdAt!: string

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user who saved it; null if the platform did.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  createdById!: string | null
}

@ObjectType({ description: 'A version of a function, without its source. It never changes.' })
@RequiresScope('FUNCTIONS')
export class ServerlessFunctionVersionSummary extends VersionParts {}

@ObjectType({ description: 'A version of a function with its source. It never changes.' })
@RequiresScope('FUNCTIONS')
export class ServerlessFunctionVersion extends VersionParts {
  @OutputField(() => String, {
    description: 'The source, as it was saved.',
    example: 'export default (input: { title: string }) => ({ score: input.title.includes("Chief") ? 90 : 40 })',
  })
  source!: string
}

export const ServerlessFunctionVersionPage = pageRequiring(
  'ServerlessFunctionVersionPage',
  ServerlessFunctionVersionSummary,
  'READ_FUNCTIONS',
)
