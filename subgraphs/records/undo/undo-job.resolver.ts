import { Args, Ctx, Info, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql'
import { IdArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { newestFirst, NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { operation } from '../../kernel/record/operation.ts'
import { Values } from '../../kernel/record/predicate.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { operationOf, requireJob } from '../bulk-job/stored-job.ts'
import { abortUndoJob } from './abort-undo-job.ts'
import {
  createUndoJob,
  requireUndoJob,
  shownUndoJob,
  undoJobColumns,
  usableUndoJobs,
  visibleUndoJobs,
  type StoredUndoJob,
} from './stored-undo-job.ts'
import { deleteUndoJobs } from './undo-job.jobs.ts'
import { undoJobBounds, undoJobCredential, undoJobTables } from './undo-job.migrations.ts'
import { undoQueue } from './undo-job.queue.ts'
import { UndoJob, UndoJobListArgs, UndoJobPage } from './undo-job.types.ts'
import { readUndoResults } from './undo-results.ts'
import { ConflictHandling } from './undo.enumerations.ts'
import { NotUndonePage, UndoneRecordPage } from './undo.types.ts'

const scopesText =
  'Users see their own, owners and admins all of them. Every credential may ask: a job needs the WRITE scopes of its record types.'

@Resolver()
export class UndoJobResolver {
  @Query(() => UndoJob, { nullable: true, description: `An undo job by its id. ${scopesText}` })
  @RequiresScopes(memberScope)
  async undoJob(@IdArg() id: string, @Ctx() ctx: RequestContext): Promise<UndoJob> {
    return shownUndoJob(await requireUndoJob(ctx, id))
  }

  /** The gateway runs this subscription, as that of bulk jobs: it queries `undoJob` after each change, as the subscriber. */
  @Subscription(() => UndoJob, {
    description: [
      'An undo job as it is, and again whenever it has changed: as `undoJob` reads it at that moment, so a slow client gets fewer states.',
      'The last one is that in which it has ended. NOT_FOUND if the caller cannot see it, or when it is deleted. The credential is checked for each state.',
      scopesText,
    ].join(' '),
    topics: 'undoJobChanged',
  })
  @RequiresScopes(memberScope)
  undoJobChanged(@IdArg() _id: string, @Root() job: UndoJob): UndoJob {
    return job
  }

  @Query(() => UndoJobPage, {
    description: `The undo jobs that the caller sees, the newest first. ${scopesText} Jobs whose scopes the credential lacks are left out.`,
  })
  @RequiresScopes(memberScope)
  async undoJobList(
    @Args(() => UndoJobListArgs) args: UndoJobListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    const values = new Values()
    const visible = visibleUndoJobs(ctx, values)
    const usable = await usableUndoJobs(ctx, values)
    const page = await newestFirst(
      ctx,
      {
        select: undoJobColumns,
        from: `records.undo_job j where ${visible} and ${usable} and (${values.add(args.status ?? null)}::text is null or j.job_status = $${values.list.length})`,
        values: values.list,
        key: { sql: 'j.id', type: 'uuid', of: ({ id }) => id },
      },
      args,
      info,
    )
    return { ...page, data: page.data.map((job) => shownUndoJob(job as unknown as StoredUndoJob)) }
  }

  @Query(() => UndoneRecordPage, {
    description: `The records that an undo job has changed, the newest result first; of a dry run, those that it would change. Those that the caller does not see now are left out. ${scopesText}`,
  })
  @RequiresScopes(memberScope)
  async undoneRecordList(
    @IdArg() id: string,
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readUndoResults(ctx, await requireUndoJob(ctx, id), true, args, info)
  }

  @Query(() => NotUndonePage, {
    description: `What an undo job has left as the operation left it, the newest result first. Those that the caller does not see now are left out. ${scopesText}`,
  })
  @RequiresScopes(memberScope)
  async notUndoneList(
    @IdArg() id: string,
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readUndoResults(ctx, await requireUndoJob(ctx, id), false, args, info)
  }

  @Mutation(() => UndoJob, {
    description: [
      'Ends an undo job: the records that are being processed at the moment are not changed, and those that were undone before stay so.',
      'Its results tell them, and `operationId` undoes them. One that is ABORTED stays so; INVALID_STATE if it has ended otherwise.',
      scopesText,
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  undoJobAbort(@IdArg() id: string, @Ctx() ctx: RequestContext): Promise<UndoJob> {
    return abortUndoJob(ctx, id)
  }

  @Mutation(() => UndoJob, {
    description: [
      'Takes back what a bulk job has written, which has ended: it is JOB_COMPLETE, FAILED or ABORTED. An undo job does it, as for `undo`, with the rights of the caller.',
      'INVALID_STATE if the bulk job has not ended, or has written nothing, as an EXPORT. NOT_FOUND if its events are not kept any more.',
      'Users undo their own jobs, owners and admins all of them; needs the WRITE scope of the record type.',
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  async bulkJobUndo(
    @IdArg() id: string,
    @ValueArg('onConflict', () => ConflictHandling, {
      default: 'REFUSE',
      description: 'What happens where something has changed since.',
      example: 'REFUSE',
    })
    onConflict: ConflictHandling,
    @ValueArg('dryRun', () => Boolean, {
      default: false,
      description: 'Whether the records are compared only, without the rules and hooks, and nothing changes.',
      example: false,
    })
    dryRun: boolean,
    @Ctx() ctx: RequestContext,
  ): Promise<UndoJob> {
    requireWritableRole(ctx)
    const job = await requireJob(ctx, id)
    const { state, operation, options, recordsSucceeded } = job
    if (state !== 'JOB_COMPLETE' && state !== 'FAILED' && state !== 'ABORTED')
      throw refusalInSituation(`The bulk job is ${state}; one that has ended can be undone.`, { state })
    if (operation === 'EXPORT' || options.dryRun || recordsSucceeded === 0)
      throw refusalInSituation('The bulk job has written no records.', { state })
    const selection = { operationId: operationOf(job.id) }
    return inTransaction(ctx, async (inner) =>
      shownUndoJob(await createUndoJob(inner, { selection, onConflict, dryRun })),
    )
  }
}

const place = '/v1/undo/jobs'

export const undoJobResource: Resource = {
  resolver: UndoJobResolver,
  migrations: [undoJobTables, undoJobBounds, undoJobCredential],
  queues: [undoQueue],
  jobs: [deleteUndoJobs],
  operations: [
    operation(`GET ${place}`, 'undoJobList', { summary: 'List undo jobs', answers: 'A page of the jobs.' }),
    operation(`GET ${place}/{id}`, 'undoJob', { summary: 'Read an undo job', answers: 'The job.' }),
    operation(`GET ${place}/{id}/undone`, 'undoneRecordList', {
      summary: 'List what an undo job has changed',
      answers: 'A page of the records.',
    }),
    operation(`GET ${place}/{id}/not-undone`, 'notUndoneList', {
      summary: 'List what an undo job has left',
      answers: 'A page of what stays.',
    }),
    operation(`POST ${place}/{id}/abort`, 'undoJobAbort', {
      summary: 'Abort an undo job',
      answers: 'The job, which is ABORTED.',
      refusals: [409],
    }),
    operation('POST /v1/bulk/jobs/{id}/undo', 'bulkJobUndo', {
      summary: 'Undo a bulk job',
      answers: 'The undo job, which waits for its turn.',
      status: 202,
      refusals: [409],
    }),
  ],
}
