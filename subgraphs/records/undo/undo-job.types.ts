import { ArgsType, ID, Int, ObjectType, type ClassType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { ConflictHandling, UndoJobStatus } from './undo.enumerations.ts'

@ObjectType({ description: 'A job that takes back more changes than one transaction does.' })
@RequiresScopes(memberScope)
export class UndoJob {
  @OutputField(() => ID, { description: 'Id of the job.', example: '019a0c5e-7f00-7d31-9a04-5b6c7d8e9f10' })
  id!: string

  @OutputField(() => UndoJobStatus, { description: 'How far it is.', example: 'QUEUED' })
  status!: UndoJobStatus

  @OutputField(() => String, {
    description: 'The operation of what the job changes: undo it to have the changes again.',
    example: 'undo:019a0c5e-7f00-7d31-9a04-5b6c7d8e9f10',
  })
  operationId!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'The operation that is undone; null if the changes of a user in a time are.',
    example: 'bulk:019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  undoneOperationId!: string | null

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user whose changes in a time are undone; null if an operation is.',
    example: null,
  })
  undoneUserId!: string | null

  @OutputField(() => ConflictHandling, {
    description: 'What happens where something has changed since.',
    example: 'REFUSE',
  })
  onConflict!: ConflictHandling

  @OutputField(() => Boolean, {
    description: 'Whether its records are compared only, and nothing changes.',
    example: false,
  })
  dryRun!: boolean

  @OutputField(() => Int, {
    nullable: true,
    description: 'Records of the operation that its user sees; null until all of them were compared.',
    example: null,
  })
  recordsTotal!: number | null

  @OutputField(() => Int, {
    description: 'Records that were processed; of a dry run, those that were compared.',
    example: 0,
  })
  recordsProcessed!: number

  @OutputField(() => Int, {
    description:
      'Records that were changed; of a dry run, those that would be. One that was already as before the operation is not among them.',
    example: 0,
  })
  recordsUndone!: number

  @OutputField(() => Int, {
    description: 'Records of which something stays as the operation left it, also if other fields of them were undone.',
    example: 0,
  })
  recordsNotUndone!: number

  @OutputField(() => String, {
    nullable: true,
    description:
      'Why the job FAILED, as a code: UNDO_CONFLICT, NOT_FOUND if its user sees no record of the operation, OWNER_INACTIVE, PERMISSION_DENIED, INTERRUPTED, INTERNAL, or the code of a refusal of all records, or of what it has waited for a day; otherwise null.',
    example: null,
  })
  errorCode!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Why the job FAILED, or why it waits to go on, as a sentence; otherwise null.',
    example: null,
  })
  errorMessage!: string | null

  @NamesRecord('user')
  @OutputField(() => ID, {
    description: 'Id of the user who created it, with whose rights it writes.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  createdById!: string

  @OutputField(() => DateTime, { description: 'When it was created.', example: '2026-11-02T10:40:00.000Z' })
  createdAt!: string

  @OutputField(() => DateTime, { nullable: true, description: 'When it began; null before.', example: null })
  startedAt!: string | null

  @OutputField(() => DateTime, { nullable: true, description: 'When it ended; null before.', example: null })
  endedAt!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When it is deleted with its results: seven days after it ended; null before it ended.',
    example: null,
  })
  expiresAt!: string | null
}

type TypeOf = Parameters<typeof OutputField>[0]
type Options = Parameters<typeof OutputField>[1]

const nullable = true

/** What a page has besides its items. */
const pageFields: Readonly<Record<string, readonly [ReturnType<TypeOf>, Options]>> = {
  page: [Int, { description: 'Number of this page, from 1.', example: 1 }],
  limit: [Int, { description: 'Maximum number of items on a page, as requested: 1 to 100.', example: 20 }],
  total: [Int, { nullable, description: 'Number of items; null if there are more than 10,000.', example: 1 }],
  totalPages: [Int, { nullable, description: 'Number of pages with this limit; null as `total`.', example: 1 }],
  hasMore: [Boolean, { description: 'True if more items follow after this page.', example: false }],
  nextCursor: [
    String,
    {
      nullable,
      description: 'Cursor of the next page, for the argument `cursor`. Null on the last page.',
      example: null,
    },
  ],
}

/** The type of a page of what `newestFirst` reads. */
export function newestFirstPage(name: string, item: ClassType, items: string): ClassType {
  class Page {}
  OutputField(() => item, { list: true, description: `The ${items}, the newest first.` })(Page.prototype, 'data')
  for (const [field, [type, options]] of Object.entries(pageFields))
    OutputField(() => type, options)(Page.prototype, field)
  ObjectType(name, { description: `A page of the ${items}.` })(Page)
  RequiresScopes(memberScope)(Page)
  return Page
}

export const UndoJobPage = newestFirstPage('UndoJobPage', UndoJob, 'undo jobs')

@ArgsType()
export class UndoJobListArgs extends NewestFirstArgs {
  @InputField(() => UndoJobStatus, { nullable: true, description: 'Only jobs with this status.', example: 'RUNNING' })
  status!: UndoJobStatus | null
}
