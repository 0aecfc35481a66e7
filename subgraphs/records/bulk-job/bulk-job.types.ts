import { ArgsType, Float, ID, Int, ObjectType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { BulkContentType, BulkJobState, BulkOperation } from './bulk-job.enumerations.ts'
import { BulkQuery, type ExportQuery } from './export/export-query.types.ts'
import { BulkJobOptions, type JobOptions } from './bulk-job.options.ts'

@ObjectType({ description: 'How often the rows of a bulk job failed with one code.' })
@RequiresScopes(memberScope)
export class BulkJobError {
  @OutputField(() => String, { description: 'Code of the failure.', example: 'UNKNOWN_REFERENCE' })
  code!: string

  @OutputField(() => Int, { description: 'Number of rows.', example: 12 })
  count!: number

  @OutputField(() => String, {
    description: 'The message of the first of these rows.',
    example: 'accountId must be the id of an existing record that you can see.',
  })
  sample!: string
}

@ObjectType({ description: 'A job that loads a file into the records of one type, or exports them to a file.' })
@RequiresScopes(memberScope)
export class BulkJob {
  @OutputField(() => ID, { description: 'Id of the job.', example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' })
  id!: string

  @OutputField(() => String, {
    description: 'The record type, as in event types; `custom:<name>` for a custom object.',
    example: 'account',
  })
  object!: string

  @OutputField(() => BulkOperation, { description: 'What it does.', example: 'INSERT' })
  operation!: BulkOperation

  @OutputField(() => String, {
    description: 'The field by which records are found: `id`, `externalId` or `customFields.<name>`.',
    example: 'id',
  })
  externalIdField!: string

  @OutputField(() => BulkContentType, { description: 'Format of the file.', example: 'CSV' })
  contentType!: BulkContentType

  @OutputField(() => BulkJobState, { description: 'Its state.', example: 'OPEN' })
  state!: BulkJobState

  @OutputField(() => BulkJobOptions, {
    description: 'How it reads or writes its file, and what its changes lead to.',
  })
  options!: JobOptions

  @OutputField(() => BulkQuery, {
    nullable: true,
    description: 'Which records an EXPORT has, and which of their fields; null for other operations.',
  })
  query!: ExportQuery | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Rows of the file; null until the last of them was read, or of an export written.',
    example: null,
  })
  recordsTotal!: number | null

  @OutputField(() => Int, {
    description: 'Rows that were processed: those that were written, have failed or were skipped.',
    example: 0,
  })
  recordsProcessed!: number

  @OutputField(() => Int, {
    description: 'Rows that were written; of an export, records that are in its file.',
    example: 0,
  })
  recordsSucceeded!: number

  @OutputField(() => Int, { description: 'Rows that failed.', example: 0 })
  recordsFailed!: number

  @OutputField(() => Int, {
    description: 'Rows that were not written because of duplicates, as `duplicateStrategy` SKIP asks.',
    example: 0,
  })
  recordsSkipped!: number

  @OutputField(() => Int, {
    nullable: true,
    description: 'Rows that were not processed; null until the last row was read.',
    example: null,
  })
  recordsUnprocessed!: number | null

  @OutputField(() => Float, {
    description: 'Bytes of the parts that have arrived; of an export, bytes that were written.',
    example: 0,
  })
  bytesTotal!: number

  @OutputField(() => Float, {
    description: 'Bytes of the file whose rows were processed, or of an export written.',
    example: 0,
  })
  bytesProcessed!: number

  @OutputField(() => Int, {
    list: true,
    maxItems: 1000,
    description: 'The parts that have arrived, in ascending order; empty for an export.',
    example: [],
  })
  parts!: number[]

  @OutputField(() => BulkJobError, {
    list: true,
    maxItems: 50,
    description: 'Why rows failed: the most frequent codes first.',
    example: [],
  })
  errorSummary!: BulkJobError[]

  @OutputField(() => String, {
    nullable: true,
    description:
      'Why the job FAILED, as a code: that of a refusal of the whole job, or of what it has waited for a day, such as a hook that does not answer; otherwise null.',
    example: null,
  })
  errorCode!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Why the job FAILED, or why it waits to go on, as a sentence; otherwise null.',
    example: null,
  })
  errorMessage!: string | null

  @OutputField(() => String, {
    description: 'The operation of its changes, as events have it. `POST /v1/bulk/jobs/{id}/undo` takes them back.',
    example: 'bulk:019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  operationId!: string

  @NamesRecord('user')
  @OutputField(() => ID, {
    description: 'Id of the user who created it, with whose rights it writes and reads.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  createdById!: string

  @OutputField(() => DateTime, { description: 'When it was created.', example: '2026-11-02T10:40:00.000Z' })
  createdAt!: string

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When its first rows were processed; null before.',
    example: null,
  })
  startedAt!: string | null

  @OutputField(() => DateTime, { nullable: true, description: 'When it ended; null before.', example: null })
  completedAt!: string | null

  @OutputField(() => DateTime, {
    description:
      'When it is deleted with its file and its results: seven days after it was created, or after it ended.',
    example: '2026-11-09T10:40:00.000Z',
  })
  expiresAt!: string
}

@ObjectType({ description: 'A page of bulk jobs.' })
@RequiresScopes(memberScope)
export class BulkJobPage {
  @OutputField(() => BulkJob, { list: true, description: 'The jobs, the newest first.' })
  data!: BulkJob[]

  @OutputField(() => Int, { description: 'Number of this page, from 1.', example: 1 })
  page!: number

  @OutputField(() => Int, { description: 'Maximum number of jobs on a page, as requested: 1 to 100.', example: 20 })
  limit!: number

  @OutputField(() => Int, {
    nullable: true,
    description: 'Number of jobs; null if there are more than 10,000.',
    example: 1,
  })
  total!: number | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Number of pages with this limit; null as `total`.',
    example: 1,
  })
  totalPages!: number | null

  @OutputField(() => Boolean, { description: 'True if more jobs follow after this page.', example: false })
  hasMore!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: 'Cursor of the next page, for the argument `cursor`. Null on the last page.',
    example: null,
  })
  nextCursor!: string | null
}

@ArgsType()
export class BulkJobListArgs extends NewestFirstArgs {
  @InputField(() => BulkJobState, { nullable: true, description: 'Only jobs in this state.', example: 'IN_PROGRESS' })
  state!: BulkJobState | null

  @InputField(() => String, {
    nullable: true,
    max: 100,
    description: 'Only jobs of this record type.',
    example: 'account',
  })
  object!: string | null

  @InputField(() => BulkOperation, { nullable: true, description: 'Only jobs of this operation.', example: 'EXPORT' })
  operation!: BulkOperation | null
}
