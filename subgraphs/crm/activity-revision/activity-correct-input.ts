import { InputType } from 'type-graphql'
import { InputField } from '../../kernel/record/declared-value.ts'
import { bodyMax, subjectMax } from '../activity/activity.ts'

@InputType({
  description: 'The correct wording of an activity. An absent field is not changed, and null removes the text.',
})
export class ActivityCorrectInput {
  @InputField(() => String, {
    nullable: true,
    max: subjectMax,
    description: 'What it was about, in one line.',
    example: 'Renewal of the ferry licences',
  })
  subject?: string | null

  @InputField(() => String, {
    nullable: true,
    max: bodyMax,
    description: 'What was said or written.',
    example: 'They want 40 more seats from January. Sends the list of vessels on Friday.',
  })
  body?: string | null
}
