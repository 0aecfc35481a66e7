import type { EmailTemplate } from '../outreach/email-template/email-template.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs } from './calendar.ts'
import { commonFields, recordOwners, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { mailTexts } from './vocabulary/mails.ts'

/** The templates of an organization. The first ones are shared, the others belong to one user each. */
export function demoEmailTemplates(input: GeneratorInput): GeneratedRecord<EmailTemplate>[] {
  const random = new Random(`email templates ${input.profile.code}`)
  const authors = recordOwners(input)
  return mailTexts.map((text, index) => {
    const author = random.pick(authors)
    const createdMs = input.foundedMs + random.whole(20, 200) * dayMs + 9 * hourMs + index * 1000
    return {
      values: {
        ...commonFields(input, random, createdMs, author.id),
        ...text,
        variables: text.variables.map((variable) => ({
          label: null,
          required: false,
          defaultValue: null,
          ...variable,
        })),
        ownerId: author.id,
        language: 'en',
        tags: random.chance(0.3) ? ['reviewed'] : [],
      },
      actorId: author.id,
      eventId: random.id(createdMs),
    }
  })
}
