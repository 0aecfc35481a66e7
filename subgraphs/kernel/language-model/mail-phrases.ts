import type { MailTone } from './mail-brief.ts'

export type MailKind = 'MEETING' | 'OFFER' | 'REMINDER' | 'THANKS' | 'INTRODUCTION' | 'REPLY' | 'FOLLOW_UP'

const words: readonly (readonly [MailKind, RegExp])[] = [
  ['MEETING', /\b(meet|meeting|call|demo|appointment|schedule|visit)\b/i],
  ['OFFER', /\b(offer|proposal|quote|pricing|price|discount|contract)\b/i],
  ['REMINDER', /\b(remind|reminder|overdue|waiting|nudge)\b/i],
  ['THANKS', /\b(thank|thanks|gratitude)\b/i],
  ['INTRODUCTION', /\b(introduce|introduction|intro|first contact|cold)\b/i],
]

/** What the author wants to achieve, by the words of the purpose. */
export const kindOf = (text: string, isReply: boolean): MailKind =>
  words.find(([, pattern]) => pattern.test(text))?.[0] ?? (isReply ? 'REPLY' : 'FOLLOW_UP')

export const subjects: Readonly<Record<MailKind, string>> = {
  MEETING: 'A time to talk',
  OFFER: 'Our proposal',
  REMINDER: 'A short reminder',
  THANKS: 'Thank you',
  INTRODUCTION: 'An introduction',
  REPLY: 'Your mail',
  FOLLOW_UP: 'Following up',
}

type Phrases = Readonly<Record<MailTone, readonly string[]>>

/** What the mail asks for, in several wordings. */
export const requests: Readonly<Record<MailKind, Phrases>> = {
  MEETING: {
    PROFESSIONAL: [
      'Would you have half an hour this week or next? Please name a time that suits you.',
      'Which day would suit you for a call of thirty minutes?',
    ],
    FRIENDLY: [
      'Do you have half an hour this week or next? Just tell me when.',
      'When would be a good moment for a quick call?',
    ],
    FORMAL: [
      'I would be grateful if you could propose a time for a meeting.',
      'May I ask you to name a date that is convenient for you?',
    ],
    CONCISE: ['Which time suits you?', 'When can we talk?'],
    PERSUASIVE: [
      'Half an hour is enough to show you what changes for your team. Which day suits you best?',
      'Let us use thirty minutes to decide whether this is worth your time. When can we talk?',
    ],
  },
  OFFER: {
    PROFESSIONAL: [
      'Please tell me whether the proposal covers what you need, and what we should change.',
      'I am happy to go through the details with you. What questions do you have?',
    ],
    FRIENDLY: ['Have a look and tell me what you think.', 'If anything is unclear or missing, just ask me.'],
    FORMAL: [
      'I would appreciate your comments on the proposal.',
      'Please let me know whether the terms meet your requirements.',
    ],
    CONCISE: ['Does this work for you?', 'What should we change?'],
    PERSUASIVE: [
      'The sooner you decide, the sooner your team has the benefit. What is still missing for a decision?',
      'What would have to be in the proposal for you to say yes?',
    ],
  },
  REMINDER: {
    PROFESSIONAL: [
      'Could you let me know where things stand?',
      'I would be glad to hear from you, also if the plan has changed.',
    ],
    FRIENDLY: ['Any news on your side?', 'I know you are busy. A line is enough.'],
    FORMAL: ['I should be grateful for a short answer.', 'May I kindly ask you to inform me about the current state?'],
    CONCISE: ['Where do we stand?', 'Is this still open?'],
    PERSUASIVE: [
      'A short answer now saves both of us time later. Where do you stand?',
      'If the moment is wrong, tell me when it will be right.',
    ],
  },
  THANKS: {
    PROFESSIONAL: ['Thank you for your time and trust.', 'Thank you; working with you is a pleasure.'],
    FRIENDLY: ['Thanks again, that was a great help!', 'Many thanks, I really enjoyed it.'],
    FORMAL: ['Please accept my sincere thanks.', 'I wish to thank you for your kind support.'],
    CONCISE: ['Thank you.', 'Many thanks.'],
    PERSUASIVE: [
      'Thank you. Let us keep the momentum and agree on the next step.',
      'Thank you. What should we do first, in your view?',
    ],
  },
  INTRODUCTION: {
    PROFESSIONAL: [
      'If this is of interest to you, I would like to learn more about your plans.',
      'Who in your team would be the right person to talk to?',
    ],
    FRIENDLY: ['Curious? Just answer this mail.', 'I would love to hear what you are working on.'],
    FORMAL: [
      'I would be pleased to present our company to you in person.',
      'Should this be of interest, I remain at your disposal.',
    ],
    CONCISE: ['Interested?', 'Who should I talk to?'],
    PERSUASIVE: [
      'Others in your field began with one small step. Which one would help you most?',
      'Give me ten minutes, and decide then.',
    ],
  },
  REPLY: {
    PROFESSIONAL: ['Does this answer your question?', 'Please tell me if you need anything else.'],
    FRIENDLY: ['Does that help?', 'Just tell me if anything is still unclear.'],
    FORMAL: ['I hope that this answers your inquiry.', 'Please do not hesitate to contact me with further questions.'],
    CONCISE: ['Does this help?', 'Anything else?'],
    PERSUASIVE: [
      'If this convinces you, let us agree on the next step.',
      'What else do you need from me for a decision?',
    ],
  },
  FOLLOW_UP: {
    PROFESSIONAL: [
      'What would be a good next step from your point of view?',
      'Please let me know how you would like to continue.',
    ],
    FRIENDLY: ['How does it look on your side?', 'What do you think, how should we go on?'],
    FORMAL: [
      'I would appreciate hearing how you wish to proceed.',
      'Please let me know which next step is convenient for you.',
    ],
    CONCISE: ['What is the next step?', 'How do we go on?'],
    PERSUASIVE: [
      'One clear next step is all we need. Which one do you prefer?',
      'Let us make this concrete: what should happen first?',
    ],
  },
}
