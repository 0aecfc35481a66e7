import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { filterOf, orderOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'

@ObjectType({
  description:
    'One security-relevant change, such as a change of rights or a sign-in. Entries are never changed or removed.',
})
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'audit_entry' })
export class AuditLogEntry {
  @Column(() => ID, { description: 'Id of the entry.' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.' })
  organizationId!: string

  @Column(() => DateTime, { description: 'When the change was made.' })
  createdAt!: string

  @Column(() => ID, {
    nullable: true,
    description: 'The acting user; null for a directory (SCIM) and the platform itself.',
  })
  actorId!: string | null

  @Column(() => String, { description: 'Kind of the caller: SESSION, API_KEY, OAUTH, SCIM, ANONYMOUS or SYSTEM.' })
  actorKind!: string

  @Column(() => String, { nullable: true, description: 'Id of the session, key or token that the actor used.' })
  credentialId!: string | null

  @Column(() => String, { nullable: true, description: 'IP address of the actor; null if there was no request.' })
  ip!: string | null

  @Column(() => String, { nullable: true, description: 'User-Agent header of the request; null if it had none.' })
  userAgent!: string | null

  @Column(() => String, { description: 'Id of the request that made the change.' })
  requestId!: string

  @Column(() => String, { description: 'The change as `<object>.<past participle>`, for example `user.updated`.' })
  action!: string

  @Column(() => String, { description: 'Kind of the changed object.' })
  targetType!: string

  @Column(() => String, { description: 'Id of the changed object.' })
  targetId!: string

  @Column(() => Json, { nullable: true, description: 'The changed values before the change; null for a new target.' })
  before!: unknown

  @Column(() => Json, {
    nullable: true,
    description: 'The changed values after the change; null for a deleted target.',
  })
  after!: unknown
}

export const auditLogEntry: RecordShape = {
  entity: AuditLogEntry,
  columns: Columns.of(AuditLogEntry),
  object: 'audit_entry',
  table: 'identity.audit_entry',
  visibleBy: [],
  searchable: ['action'],
}

export const AuditLogEntryFilter = filterOf('AuditLogEntryFilter', AuditLogEntry)
export const AuditLogEntryOrder = orderOf('AuditLogEntryOrder', AuditLogEntry)
export const AuditLogEntryPage = pageRequiring('AuditLogEntryPage', AuditLogEntry, 'SESSION')
