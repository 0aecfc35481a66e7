import { DateTime } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { ConsentStatus } from './contact.enumerations.ts'

@Structure('Consent', 'Whether a person has agreed to be contacted, on which legal basis, and since when.')
export class Consent {
  @Part(() => ConsentStatus, {
    default: 'UNKNOWN',
    description: 'Whether the person has agreed.',
    example: 'GRANTED',
  })
  status!: ConsentStatus

  @Part(() => String, {
    nullable: true,
    max: 100,
    description:
      'Legal basis of processing the data of the person, for example an article of the GDPR; null if unknown.',
    example: 'GDPR Art. 6(1)(a)',
  })
  lawfulBasis!: string | null

  @Part(() => String, {
    nullable: true,
    max: 255,
    description: 'Where the person gave or refused the consent; null if unknown.',
    example: 'Form at the Nor-Shipping fair',
  })
  source!: string | null

  @Part(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When `status` was last set to another value.',
    example: '2026-11-02T08:15:00.000Z',
  })
  recordedAt!: string | null
}
