import { Args, Ctx, Info, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql'
import { IdArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { newestFirst } from '../../kernel/record/newest-first.ts'
import { operation } from '../../kernel/record/operation.ts'
import { Values } from '../../kernel/record/predicate.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { ID } from 'type-graphql'
import { BulkContentType, BulkOperation } from './bulk-job.enumerations.ts'
import { bulkJobChanges } from './bulk-job.events.ts'
import { deleteBulkJobs } from './bulk-job.jobs.ts'
import { bulkCredential, bulkExports, bulkJobChanged, bulkJobTables, bulkSkippedRows } from './bulk-job.migrations.ts'
import { BulkJob, BulkJobListArgs, BulkJobPage } from './bulk-job.types.ts'
import { BulkJobOptionsInput, type JobOptions } from './bulk-job.options.ts'
import { createJob } from './create-job.ts'
import { BulkQueryInput, type ExportQuery } from './export/export-query.types.ts'
import { removeJob, setJobState } from './job.actions.ts'
import type { BulkContext } from './job-limits.ts'
import { bulkQueue } from './load/bulk-queue.ts'
import { jobColumns, requireJob, shownJob, usableJobs, visibleJobs, type StoredJob } from './stored-job.ts'

const RequestedBulkState = enumeration('RequestedBulkState', 'The states that a client sets of a bulk job.', {
  UPLOAD_COMPLETE: 'All parts of its file have arrived, and it waits for its turn.',
  ABORTED: 'It ends. What was written before stays.',
})
type RequestedBulkState = keyof typeof RequestedBulkState

const scopesText =
  'Every credential may ask: a job needs the WRITE scope of its record type, and an export the READ scope.'

@Resolver()
export class BulkJobResolver {
  @Query(() => BulkJob, {
    nullable: true,
    description: `A bulk job by its id. Users see their own, owners and admins all of them. ${scopesText}`,
  })
  @RequiresScopes(memberScope)
  async bulkJob(@IdArg() id: string, @Ctx() ctx: RequestContext): Promise<BulkJob> {
    return shownJob(await requireJob(ctx, id))
  }

  /** The gateway runs this subscription: it queries `bulkJob` after each change, as the subscriber. */
  @Subscription(() => BulkJob, {
    description: [
      'A bulk job as it is, and again whenever it has changed: as `bulkJob` reads it at that moment, so a slow client gets fewer states.',
      'The last one is that in which it has ended. NOT_FOUND if the caller cannot see it, or when it is deleted. The credential is checked for each state.',
      scopesText,
    ].join(' '),
    topics: 'bulkJobChanged',
  })
  @RequiresScopes(memberScope)
  bulkJobChanged(@IdArg() _id: string, @Root() job: BulkJob): BulkJob {
    return job
  }

  @Query(() => BulkJobPage, {
    description:
      'The bulk jobs that the caller sees, the newest first: users see their own, owners and admins all of them. Jobs whose scope the credential lacks are left out: the WRITE scope of their record type, of exports the READ scope.',
  })
  @RequiresScopes(memberScope)
  async bulkJobList(
    @Args(() => BulkJobListArgs) args: BulkJobListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    const { organizationId, userId } = ctx.caller
    const values = new Values()
    values.list.push(organizationId, userId, args.state ?? null, args.object ?? null, args.operation ?? null)
    const usable = usableJobs(ctx, values)
    const page = await newestFirst(
      ctx,
      {
        select: jobColumns,
        from: `records.bulk_job j where ${visibleJobs(ctx)} and ${usable}
          and ($3::text is null or j.job_state = $3) and ($4::text is null or j.object = $4) and ($5::text is null or j.operation = $5)`,
        values: values.list,
        key: { sql: 'j.id', type: 'uuid', of: ({ id }) => id },
      },
      args,
      info,
    )
    return { ...page, data: page.data.map((job) => shownJob(job as unknown as StoredJob)) }
  }

  @Mutation(() => BulkJob, {
    description: [
      'Creates a bulk job, which is OPEN: its file is sent over REST, `PUT /v1/bulk/jobs/{id}/data`. An EXPORT has no such file, and waits for its turn at once.',
      'It writes and reads with the rights that its user, and with the scopes that its key or app has while it runs; it ends if that is revoked.',
      'An organization may have 100 jobs that are OPEN, 25 that wait and 5 in progress; more are LIMIT_REACHED, or wait.',
      scopesText,
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  bulkJobCreate(
    @ValueArg('object', () => String, {
      max: 100,
      filled: true,
      description: 'The record type, as in event types; `custom:<name>` for a custom object.',
      example: 'account',
    })
    object: string,
    @ValueArg('operation', () => BulkOperation, { description: 'What it does.', example: 'INSERT' })
    operation: BulkOperation,
    @ValueArg('contentType', () => BulkContentType, {
      default: 'CSV',
      description: 'Format of the file.',
      example: 'CSV',
    })
    contentType: BulkContentType,
    @ValueArg('externalIdField', () => String, {
      max: 100,
      default: 'id',
      description:
        'The field by which UPDATE, UPSERT and DELETE find records: `id`, `externalId` or the name of a unique custom field, with `customFields.` or without. A unique custom field is compared as it is unique. The external id of a record that was merged leads to the one that stays.',
      example: 'id',
    })
    externalIdField: string,
    @ValueArg('options', () => BulkJobOptionsInput, {
      nullable: true,
      description: 'How it reads its file, and what its changes lead to; null: the defaults.',
    })
    options: Partial<JobOptions> | null,
    @ValueArg('query', () => BulkQueryInput, {
      nullable: true,
      description: 'Which records an EXPORT has, and which of their fields; null: all. Other operations have none.',
    })
    query: Partial<ExportQuery> | null,
    @Ctx() ctx: BulkContext,
  ): Promise<BulkJob> {
    const given = { object, operation, contentType, externalIdField, options: options ?? null, query: query ?? null }
    return createJob(ctx, given)
  }

  @Mutation(() => BulkJob, {
    description: [
      'Sets the state of a bulk job. UPLOAD_COMPLETE closes its file; if parts are missing, or a column is empty, repeated, unknown or not writable, it is refused and the job stays OPEN.',
      'ABORTED ends it: the rows that are being processed at the moment are not written, and those before stay.',
      scopesText,
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  bulkJobUpdate(
    @IdArg() id: string,
    @ValueArg('state', () => RequestedBulkState, { description: 'The new state.', example: 'UPLOAD_COMPLETE' })
    state: RequestedBulkState,
    @Ctx() ctx: BulkContext,
  ): Promise<BulkJob> {
    return setJobState(ctx, id, state)
  }

  @Mutation(() => ID, {
    description: `Deletes a bulk job with its file and its results. One that waits or is in progress must be aborted first. ${scopesText}`,
  })
  @RequiresScopes(memberScope)
  bulkJobDelete(@IdArg() id: string, @Ctx() ctx: BulkContext): Promise<string> {
    return removeJob(ctx, id)
  }
}

const place = '/v1/bulk/jobs'

export const bulkJobResource: Resource = {
  resolver: BulkJobResolver,
  announces: [bulkJobChanges],
  migrations: [bulkJobTables, bulkExports, bulkJobChanged, bulkSkippedRows, bulkCredential],
  queues: [bulkQueue],
  jobs: [deleteBulkJobs],
  operations: [
    operation(`GET ${place}`, 'bulkJobList', { summary: 'List bulk jobs', answers: 'A page of the jobs.' }),
    operation(`POST ${place}`, 'bulkJobCreate', {
      summary: 'Create a bulk job',
      answers: 'The job, which is OPEN; an EXPORT is UPLOAD_COMPLETE.',
      status: 201,
      hasLocation: true,
      refusals: [409],
      example: {
        object: 'account',
        operation: 'INSERT',
        contentType: 'CSV',
        options: { emitEvents: 'SUMMARY', mapping: { Company: 'name' } },
      },
    }),
    operation(`GET ${place}/{id}`, 'bulkJob', { summary: 'Read a bulk job', answers: 'The job.' }),
    operation(`PATCH ${place}/{id}`, 'bulkJobUpdate', {
      summary: 'Complete the upload of a bulk job, or abort it',
      answers: 'The job.',
      refusals: [409],
    }),
    operation(`DELETE ${place}/{id}`, 'bulkJobDelete', { summary: 'Delete a bulk job', status: 204, refusals: [409] }),
  ],
}
