import { Int } from 'type-graphql'
import { ValueArg } from '../kernel/record/declared-value.ts'
import { overlapHoursMax } from '../kernel/secrets/signing-secret.ts'

/** How long the secret before a regeneration signs as well. */
export const OverlapHoursArg = () =>
  ValueArg('overlapHours', () => Int, {
    default: 24,
    minimum: 0,
    maximum: overlapHoursMax,
    description: 'Hours during which the previous secret still signs as well.',
    example: 24,
  })
