import { ObjectType } from 'type-graphql'
import type { Row } from '../../kernel/database/sql.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import type { SealedColumn } from '../../kernel/secrets/rotate.ts'

@ObjectType({ description: 'That a secret of a function was saved. Its value is never returned.' })
@RequiresScope('FUNCTIONS')
export class ServerlessFunctionSecret {
  @OutputField(() => String, { description: 'Name of the secret.', example: 'CRM_TOKEN' })
  name!: string

  @OutputField(() => DateTime, { description: 'When its value was saved.', example: '2026-11-02T08:15:00.000Z' })
  updatedAt!: string
}

@ObjectType({ description: 'That a secret of a function was deleted.' })
@RequiresScope('FUNCTIONS')
export class ServerlessFunctionSecretDeletion {
  @OutputField(() => String, { description: 'Name of the secret.', example: 'CRM_TOKEN' })
  name!: string

  @OutputField(() => Boolean, { description: 'Always true.', example: true })
  deleted!: boolean
}

/** The place that a secret is sealed for. */
export const secretPlace = (organizationId: string, functionId: string, name: string): string =>
  `extensions.function_secret/${organizationId}/${functionId}/${name}`

export const sealedSecrets: SealedColumn = {
  table: 'extensions.function_secret',
  column: 'sealed_value',
  key: ['organization_id', 'function_id', 'name'],
  organization: 'organization_id',
  place: (row: Row) => secretPlace(String(row.organization_id), String(row.function_id), String(row.name)),
}
