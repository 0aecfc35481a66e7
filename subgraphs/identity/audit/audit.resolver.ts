import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql'
import { readPage } from '../../kernel/record/list.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { auditTable } from './audit.migrations.ts'
import {
  AuditLogEntry,
  AuditLogEntryFilter,
  AuditLogEntryOrder,
  AuditLogEntryPage,
  auditLogEntry,
} from './audit-entry.ts'
import { ListedUser } from '../user-lookup/listed-user.ts'
import { userOf } from '../user-lookup/user-of.ts'

const AuditPageArgs = pageArgs(AuditLogEntryFilter, AuditLogEntryOrder)
type AuditPageArgs = InstanceType<typeof AuditPageArgs>

@Resolver(() => AuditLogEntry)
export class AuditResolver {
  @Query(() => AuditLogEntryPage, {
    description: 'The audit log of the organization. Newest first by default. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  auditLogEntryList(
    @Args(() => AuditPageArgs) args: AuditPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return readPage(ctx, auditLogEntry, args, {
      page: selectedFields(info),
      record: selectedFields(info, ['data']),
      total: isAnySelected(info, 'total', 'totalPages'),
    })
  }

  @FieldResolver(() => ListedUser, { nullable: true, description: 'The acting user; null if `actorId` is null.' })
  actor(@Root() { actorId }: AuditLogEntry, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return userOf(ctx, actorId, info)
  }
}

export const auditResource: Resource = { resolver: AuditResolver, migrations: [auditTable] }
