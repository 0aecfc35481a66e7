/** The months in which agreements are renewed. */
export const renewalMonths = ['January', 'March', 'June', 'September', 'November'] as const

/** What can come of a visit. */
export const outcomes = [
  { value: 'SATISFIED', label: 'Satisfied', color: '#2e8b57' },
  { value: 'FOLLOW_UP', label: 'Follow-up agreed', color: '#c9a227' },
  { value: 'COMPLAINT', label: 'Complaint', color: '#c0392b' },
] as const

/** Why sites are visited; each is true of every line of business. */
export const visitSubjects = [
  'Handover of the new installation',
  'Review of the first three months',
  'Yearly inspection of the equipment',
  'Training of the night shift',
  'Walk through the loading area',
  'Planning of the extension',
  'Check after the repair',
  'Meeting with the new site manager',
] as const
