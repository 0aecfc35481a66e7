import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'

@ObjectType({
  description:
    'The exchange rate of a currency from a date on. It applies until the date of the next rate of the currency; amounts before the first rate are not converted.',
})
@Entity({ schema: 'identity', tableName: 'exchange_rate' })
export class ExchangeRate {
  @Column(() => ID, { description: 'Id of the rate.' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.' })
  organizationId!: string

  @Column(() => String, { description: 'Base currency of the rate as ISO 4217 code.', example: 'USD' })
  baseCurrency!: string

  @Column(() => String, { description: 'Currency that the rate converts, as ISO 4217 code.', example: 'EUR' })
  currency!: string

  @Column(() => String, {
    description:
      'First day on which the rate applies, `YYYY-MM-DD`; a day begins at midnight in the time zone of the organization.',
    example: '2026-11-01',
  })
  date!: string

  @Column(() => Decimal, {
    minimum: 1e-12,
    maximum: 1e12,
    decimals: 12,
    description: 'Value of one unit of `currency` in `baseCurrency`.',
    example: 1.0842,
  })
  rate!: ExactNumber

  @Column(() => DateTime, { description: 'When the rate was added.' })
  createdAt!: string

  @Column(() => DateTime, { description: 'When the rate was last replaced.' })
  updatedAt!: string
}

const columns = `id, organization_id as "organizationId", base_currency as "baseCurrency", currency, date, rate,
  created_at as "createdAt", updated_at as "updatedAt"`

type RateKey = Pick<ExchangeRate, 'id'> | Pick<ExchangeRate, 'baseCurrency' | 'currency' | 'date'>

export async function findRate({ db, caller }: RequestContext, key: RateKey): Promise<ExchangeRate | null> {
  const { condition, values } =
    'id' in key
      ? { condition: 'id = $2', values: [key.id] }
      : {
          condition: 'base_currency = $2 and currency = $3 and date = $4',
          values: [key.baseCurrency, key.currency, key.date],
        }
  const [row] = await db.query<ExchangeRate>(
    `select ${columns} from identity.exchange_rate where organization_id = $1 and ${condition}`,
    [caller.organizationId, ...values],
  )
  return row ?? null
}
