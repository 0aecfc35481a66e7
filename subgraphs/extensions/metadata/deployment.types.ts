import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { archiveCharactersMax, deletionsMax, filesMax, problemsMax, shownMax } from './bounds.ts'
import { runTestsMax } from '../function-test/bounds.ts'
import { MetadataTestOutcome } from '../function-test/function-test.types.ts'
import { MetadataChange, MetadataDeploymentStatus, MetadataTestLevel } from './deployment.enumerations.ts'
import { MetadataType } from './metadata-type.ts'
import { MetadataWarning } from './retrieval.types.ts'

const user = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'
const time = '2026-11-02T08:15:00.000Z'
const file = 'src/fields/ACCOUNT.tier.field.json'
const version = 'k3VYw1kqfG2oG0y7l1cTj0m2o7Q3n9mJ0d8yqL2eXxA'

@InputType({ description: 'The files of a project: either `files` or `zip`.' })
export class MetadataSourceInput {
  @InputField(() => Json, {
    nullable: true,
    description:
      'The texts of the files by their paths in the project, such as `src/objects/site_visit.object.json`. Without `service.project.json`, paths are relative to the folder `src` or to its content.',
    example: {
      'service.project.json': '{"formatVersion": 1, "name": "sales"}',
      [file]: '{"entity": "ACCOUNT", "name": "tier", "label": "Tier", "fieldType": "TEXT"}',
    },
  })
  files!: unknown

  @InputField(() => String, {
    nullable: true,
    max: archiveCharactersMax,
    description: 'A ZIP archive of the project in base64.',
    example: null,
  })
  zip!: string | null
}

@ObjectType({ description: 'What is wrong with a file of a deployment.' })
export class MetadataProblem {
  @OutputField(() => String, {
    nullable: true,
    description: 'Path of the file in the project; null if no file is concerned.',
    example: file,
  })
  file!: string | null

  @OutputField(() => String, {
    description: 'Path of the value in the file; empty for the file as a whole.',
    example: 'fieldType',
  })
  path!: string

  @OutputField(() => Int, {
    nullable: true,
    description: 'Line in the file, from 1: of a source that does not compile; null otherwise.',
    example: null,
  })
  line!: number | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Column in the line, from 1; null without one.',
    example: null,
  })
  column!: number | null

  @OutputField(() => String, { description: 'What kind of problem it is.', example: 'NOT_ALLOWED' })
  code!: string

  @OutputField(() => String, {
    description: 'What must be.',
    example: 'fieldType must be one of TEXT, TEXTAREA, NUMBER.',
  })
  message!: string

  @OutputField(() => Json, {
    nullable: true,
    description:
      'What uses a component that is to be deleted: a list of `{object, id, name}`, for requests also with `lastUsedOn` and `queries`; null otherwise.',
    example: null,
  })
  usedBy!: unknown
}

@ObjectType({ description: 'A secret that a deployed component needs and the organization does not have.' })
export class MetadataMissingSecret {
  @OutputField(() => MetadataType, { description: 'The type of the component.', example: 'FUNCTION' })
  type!: MetadataType

  @OutputField(() => String, { description: 'Name of the component.', example: 'score_lead' })
  name!: string

  @OutputField(() => String, { description: 'Name of the secret.', example: 'CRM_TOKEN' })
  secret!: string

  @OutputField(() => String, {
    description: 'Path of the file that names it.',
    example: 'src/functions/score_lead/function.json',
  })
  file!: string

  @OutputField(() => String, { description: 'Path of the value in the file.', example: 'secrets' })
  path!: string
}

@ObjectType({ description: 'A component of a deployment.' })
export class MetadataDeployedComponent {
  @OutputField(() => MetadataType, { description: 'Its type.', example: 'CUSTOM_FIELD' })
  type!: MetadataType

  @OutputField(() => String, { description: 'Its name.', example: 'ACCOUNT.tier' })
  name!: string

  @OutputField(() => String, { description: 'Path of its file in the project.', example: file })
  file!: string

  @OutputField(() => MetadataChange, { description: 'What the deployment does with it.', example: 'CREATED' })
  change!: MetadataChange
}

@ObjectType({ description: 'How many components of a deployment are changed in which way.' })
export class MetadataChangeNumbers {
  @OutputField(() => Int, { description: 'Components that are new.', example: 1 })
  created!: number

  @OutputField(() => Int, { description: 'Components that are changed.', example: 0 })
  updated!: number

  @OutputField(() => Int, { description: 'Components that stay as they are.', example: 12 })
  unchanged!: number

  @OutputField(() => Int, { description: 'Components that are deleted.', example: 0 })
  deleted!: number
}

@ObjectType()
abstract class DeploymentParts {
  @OutputField(() => ID, { description: 'Id of the deployment.', example: '019a0c5e-7f00-7d31-8c22-5b7e9a1c4f08' })
  id!: string

  @OutputField(() => MetadataDeploymentStatus, { description: 'How far it has come.', example: 'SUCCEEDED' })
  status!: MetadataDeploymentStatus

  @OutputField(() => Boolean, { description: 'Whether its changes are only checked.', example: false })
  checkOnly!: boolean

  @OutputField(() => Boolean, { description: 'Whether it may delete components.', example: false })
  allowDestructive!: boolean

  @OutputField(() => MetadataTestLevel, {
    description: 'Which tests of functions must pass for it to take effect.',
    example: 'NONE',
  })
  testLevel!: MetadataTestLevel

  @OutputField(() => String, {
    nullable: true,
    description: 'The version that the organization must have before it; null for any.',
    example: null,
  })
  expectedVersion!: string | null

  @OutputField(() => String, {
    nullable: true,
    description:
      'The version of all that the organization has defined after it; null while it is under way, if it has failed or was cancelled, and with `checkOnly`.',
    example: version,
  })
  version!: string | null

  @Field(() => MetadataChangeNumbers, {
    nullable: true,
    simple: true,
    description: 'How many components it changes; null until they have been compared.',
  })
  counts!: MetadataChangeNumbers | null

  @OutputField(() => String, {
    nullable: true,
    description:
      'Slug of the app that it installs, updates or removes; null for a deployment of files of the organization.',
    example: null,
  })
  app!: string | null

  @OutputField(() => DateTime, { description: 'When it was requested.', example: time })
  createdAt!: string

  @NamesRecord('user')
  @OutputField(() => ID, { nullable: true, description: 'Id of the user who requested it.', example: user })
  createdById!: string | null

  @OutputField(() => DateTime, { nullable: true, description: 'When it began; null before.', example: time })
  startedAt!: string | null

  @OutputField(() => DateTime, { nullable: true, description: 'When it ended; null before.', example: time })
  endedAt!: string | null
}

@ObjectType({ description: 'A deployment of files: all of its changes are made, or none.' })
@RequiresScopes('MANAGE_METADATA')
export class MetadataDeployment extends DeploymentParts {
  @OutputField(() => MetadataDeployedComponent, {
    list: true,
    maxItems: filesMax + deletionsMax,
    description:
      'Its components in the order of their files, then those that are deleted. Empty until they have been compared.',
  })
  components!: MetadataDeployedComponent[]

  @OutputField(() => MetadataProblem, {
    list: true,
    maxItems: problemsMax,
    description: `Why it has failed: at most ${problemsMax} problems. Empty otherwise.`,
  })
  problems!: MetadataProblem[]

  @OutputField(() => MetadataTestOutcome, {
    list: true,
    maxItems: runTestsMax,
    description:
      'The tests that ran, in their order. Each that has not passed is also one of the `problems`, as far as these fit; a source that does not compile is one problem for all of its tests. Empty until they have run.',
  })
  testResults!: MetadataTestOutcome[]

  @OutputField(() => MetadataMissingSecret, {
    list: true,
    maxItems: shownMax,
    description: `Secrets that its components need and the organization does not have, at most ${shownMax}. They fail nothing.`,
  })
  missingSecrets!: MetadataMissingSecret[]

  @OutputField(() => MetadataWarning, {
    list: true,
    maxItems: shownMax,
    description: `What an administrator has to know or to do after it: at most ${shownMax} warnings.`,
  })
  warnings!: MetadataWarning[]
}

@ObjectType({ description: 'A deployment without its components and problems.' })
@RequiresScopes('MANAGE_METADATA')
export class MetadataDeploymentSummary extends DeploymentParts {}

export const MetadataDeploymentPage = pageRequiring(
  'MetadataDeploymentPage',
  MetadataDeploymentSummary,
  'MANAGE_METADATA',
)
