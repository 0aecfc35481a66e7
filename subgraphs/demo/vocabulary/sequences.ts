import type { SequenceStep } from '../../outreach/sequence/sequence-step.ts'

export type StepText = Pick<SequenceStep, 'type' | 'name'> &
  Partial<
    Pick<SequenceStep, 'delayDays' | 'subject' | 'bodyHtml' | 'bodyText' | 'replyInThread' | 'variants' | 'task'>
  > & {
    /** CONDITION: the positions with which it goes on if the first mail was opened, and if not. */
    readonly opened?: { readonly onTrue: number; readonly onFalse: number }
  }

/** The running sequences of the demo. */
export const sequenceTexts: readonly {
  readonly name: string
  readonly description: string
  readonly steps: readonly StepText[]
}[] = [
  {
    name: 'After the site visit',
    description: 'People whom we visited and who asked for an offer',
    steps: [
      {
        type: 'EMAIL',
        name: 'Thank you',
        subject: 'Thank you for the visit, {{contact.firstName | and what comes next}}',
        bodyHtml:
          '<p>Hello {{contact.firstName | there}},</p><p>thank you for showing us around. We prepare the offer that we talked about.</p><p>{{sender.name}}</p>',
      },
      {
        type: 'CONDITION',
        name: 'Read it?',
        delayDays: 3,
        opened: { onTrue: 4, onFalse: 3 },
      },
      {
        type: 'CALL',
        name: 'Call who has not read it',
        task: { subject: 'Ask whether our mail arrived', priority: 'HIGH', description: null, dueInDays: 1 },
      },
      {
        type: 'EMAIL',
        name: 'Questions',
        delayDays: 2,
        subject: 'Questions about the offer',
        bodyHtml:
          '<p>Hello {{contact.firstName | there}},</p><p>may I answer any questions about the offer? I have time on Thursday.</p><p>{{sender.name}}</p>',
        replyInThread: true,
      },
    ],
  },
  {
    name: 'First contact',
    description: 'New contacts who know us from a fair or from a partner',
    steps: [
      {
        type: 'EMAIL',
        name: 'Introduction',
        variants: [
          {
            id: '019a0c5e-7f00-7d13-8e42-5b9f0a1c2d31',
            weight: 1,
            subject: 'An idea for {{account.name | your team}}',
            bodyHtml:
              '<p>Hello {{contact.firstName | there}},</p><p>could planning take half the time?</p><p>{{sender.name}}</p>',
          },
          {
            id: '019a0c5e-7f00-7d13-8e42-5b9f0a1c2d32',
            weight: 1,
            subject: 'Twenty minutes next week?',
            bodyHtml:
              '<p>Hello {{contact.firstName | there}},</p><p>I would like to show you how others plan.</p><p>{{sender.name}}</p>',
          },
        ],
      },
      {
        type: 'SOCIAL',
        name: 'Connect',
        delayDays: 2,
        bodyText: 'Hello {{contact.firstName | there}}, I wrote to you about planning. May we connect?',
      },
      {
        type: 'EMAIL',
        name: 'Last try',
        delayDays: 5,
        subject: 'Should I stay in touch?',
        bodyHtml:
          '<p>Hello {{contact.firstName | there}},</p><p>is this a topic for you this year?</p><p>{{sender.name}}</p>',
      },
    ],
  },
]
