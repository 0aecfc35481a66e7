/** A mail of a user, and the answer of the customer. */
export interface ExchangeText {
  readonly subject: string
  /** Paragraphs. */
  readonly body: readonly string[]
  readonly link: string
  readonly reply: string
}

export const exchangeTexts: readonly ExchangeText[] = [
  {
    subject: 'Dates for the site visit',
    body: [
      'we would like to see the site before we finish the offer.',
      'You find our free days in the calendar below; half a day is enough.',
    ],
    link: 'https://demo.example/visits',
    reply: 'Thursday morning suits us. Please bring the drawings of the last order.',
  },
  {
    subject: 'Your questions about delivery times',
    body: [
      'the parts that you named are in stock and leave within three working days.',
      'The list below says what takes longer.',
    ],
    link: 'https://demo.example/delivery-times',
    reply: 'Thank you, that helps. Can you confirm the date for the second half, too?',
  },
  {
    subject: 'Renewal of the service contract',
    body: [
      'your contract ends in two months, and the terms can stay as they are.',
      'The summary below names what was used this year.',
    ],
    link: 'https://demo.example/contracts',
    reply: 'We will renew. Our purchasing department needs the conditions in writing.',
  },
  {
    subject: 'Documents for your audit',
    body: ['the certificates that your auditor asked for are ready.', 'You can download them below for four weeks.'],
    link: 'https://demo.example/certificates',
    reply: 'Received, thank you. The certificate of 2024 is missing.',
  },
]
