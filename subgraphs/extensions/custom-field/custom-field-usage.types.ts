import { Field, ID, ObjectType } from 'type-graphql'
import { fieldUsageDays, fieldUsageQueriesMax } from '../../kernel/extension/field-usage.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { usesMax } from './field-uses.ts'
import { recentUsersMax } from './recent-users.ts'

@ObjectType({ description: 'What names a custom field, so that the field is not deleted under it.' })
@RequiresScope('CUSTOM_FIELDS')
export class CustomFieldUse {
  @OutputField(() => String, {
    description:
      'What it is: `custom_field` of a formula, a rollup or a dependent picklist, `validation_rule`, `layout`, `workflow`, `webhook` and others.',
    example: 'validation_rule',
  })
  object!: string

  @OutputField(() => ID, { description: 'Its id.', example: '019a0c5e-7f00-7d11-9c55-02c4d6e8f013' })
  id!: string

  @OutputField(() => String, { description: 'Its name.', example: 'Gold needs a discount' })
  name!: string
}

@ObjectType({ description: 'Who has named a custom field in requests, and still can.' })
@RequiresScope('CUSTOM_FIELDS')
export class CustomFieldUser {
  @OutputField(() => String, {
    description: '`api_key`, `oauth_app`, `serverless_function`, or `session`: all people who are signed in, together.',
    example: 'api_key',
  })
  object!: string

  @OutputField(() => ID, {
    nullable: true,
    description: 'Its id; null for people who are signed in.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  id!: string | null

  @OutputField(() => String, { description: 'Its name.', example: 'Data warehouse' })
  name!: string

  @OutputField(() => String, { description: 'The last day, `YYYY-MM-DD` in UTC.', example: '2026-11-28' })
  lastUsedOn!: string

  @OutputField(() => String, {
    list: true,
    maxItems: fieldUsageQueriesMax,
    description: `The queries that have named the field, newest first, at most ${fieldUsageQueriesMax}, of each day the first ${fieldUsageQueriesMax}: the first 100 characters of the name of a GraphQL operation, the first eight digits of the SHA-256 of a document without a name, or the operation id in REST.`,
    example: ['accountList', 'GoldAccounts', '5f2a90c1'],
  })
  queries!: readonly string[]
}

@ObjectType({ description: 'What uses a custom field, and who.' })
@RequiresScope('CUSTOM_FIELDS')
export class CustomFieldUsage {
  @Field(() => [CustomFieldUse], {
    description: `Definitions that name the field, at most ${usesMax}; while there is one, the field is not deleted.`,
  })
  usedBy!: readonly CustomFieldUse[]

  @Field(() => [CustomFieldUser], {
    description: `Who has named the field in requests of the last ${fieldUsageDays} days and still can, at most ${recentUsersMax}: in filters, orders, figures, written values, \`related\` and \`referencedBy\`, and columns of bulk jobs. Known within seconds.`,
  })
  recentUsers!: readonly CustomFieldUser[]
}
