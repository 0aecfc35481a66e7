import { ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { pointMax, pointsMax, summaryMax } from './bounds.ts'

@ObjectType({
  description:
    'What matters about an account at the moment, in words, from the records that the caller sees. The texts have no images, HTML and links; every number in them is one of the records.',
})
@RequiresScope('ACCOUNTS')
export class AccountBrief {
  @OutputField(() => String, {
    description: `The account in a few sentences, at most ${summaryMax.toLocaleString('en')} characters.`,
    example: 'Halvorsen Marine is a customer in Shipping. 1 deal is open. The last activity was a call on 2026-11-20.',
  })
  summary!: string

  @OutputField(() => String, {
    list: true,
    maxItems: pointsMax,
    description: `What goes well, each at most ${pointMax} characters.`,
    example: ['The deal Dock scheduling is likely to be won: 80 percent.'],
  })
  highlights!: readonly string[]

  @OutputField(() => String, {
    list: true,
    maxItems: pointsMax,
    description: `What needs attention, each at most ${pointMax} characters.`,
    example: ['2 invoices are overdue.'],
  })
  risks!: readonly string[]

  @OutputField(() => DateTime, { description: 'When it was written.', example: '2026-11-28T13:00:00.000Z' })
  generatedAt!: string

  @OutputField(() => String, {
    description:
      'Name of the language model that wrote it; `brief-rules-1` for the fixed rules: without a configured model, if the organization has switched it off, or if it gave no usable answer.',
    example: 'brief-rules-1',
  })
  model!: string
}
