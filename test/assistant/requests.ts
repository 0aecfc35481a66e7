/** What must become of a request: the input of the proposal, or the refusal. `{name}` is the id of a record or user. */
export type Expected =
  | { readonly create: Readonly<Record<string, unknown>> }
  | { readonly update: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly refused: RegExp }

export type Requested = readonly [text: string, expected: Expected]

const task = (text: string, create: Record<string, unknown>): Requested => [text, { create }]
const set = (text: string, update: string, field: string, value: unknown): Requested => [
  text,
  { update, input: { [field]: value } },
]
const refused = (text: string, words: RegExp): Requested => [text, { refused: words }]
const about = (type: string, key: string) => ({ relatedToType: type, relatedToId: `{${key}}` })

// It is Wednesday, 10 March 2027, 10:00 in Berlin.
const endOf = {
  wednesday: '2027-03-10T22:59:59.999Z',
  thursday: '2027-03-11T22:59:59.999Z',
  friday: '2027-03-12T22:59:59.999Z',
}
const acme = about('ACCOUNT', 'acme')

/** The requests that must be proposed. */
export const requests: readonly Requested[] = [
  task('create a task to call Acme tomorrow', { subject: 'Call Acme', dueDate: endOf.thursday, ...acme }),
  task('Create a task to send the contract to Halvorsen Marine by Friday', {
    subject: 'Send the contract to Halvorsen Marine',
    dueDate: endOf.friday,
    ...about('ACCOUNT', 'halvorsen'),
  }),
  task('remind me to water the plants', { subject: 'Water the plants' }),
  task('Remind me tomorrow at 3 pm to call Acme', {
    subject: 'Call Acme',
    dueDate: '2027-03-11T14:00:00.000Z',
    reminderAt: '2027-03-11T14:00:00.000Z',
    ...acme,
  }),
  task('please remind me to call Acme on Friday about the renewal', {
    subject: 'Call Acme about the renewal',
    dueDate: endOf.friday,
    reminderAt: '2027-03-12T08:00:00.000Z',
    ...acme,
  }),
  task('remind me about the budget in 2 weeks', {
    subject: 'The budget',
    dueDate: '2027-03-24T22:59:59.999Z',
    reminderAt: '2027-03-24T08:00:00.000Z',
  }),
  task('Add an urgent task for Kim Berg to prepare the offer', {
    subject: 'Prepare the offer',
    priority: 'URGENT',
    assignedToId: '{kim}',
  }),
  task('add a task "Send the brochure" for Fjordline due 15 March', {
    subject: 'Send the brochure',
    dueDate: '2027-03-15T22:59:59.999Z',
    ...about('ACCOUNT', 'fjordline'),
  }),
  task('new task: check the invoice for Fjordline', {
    subject: 'Check the invoice for Fjordline',
    ...about('ACCOUNT', 'fjordline'),
  }),
  task('Create a high priority task to visit Lena Holm next Monday', {
    subject: 'Visit Lena Holm',
    priority: 'HIGH',
    dueDate: '2027-03-15T22:59:59.999Z',
    ...about('CONTACT', 'lena'),
  }),
  task('Could you create a call task for tomorrow to ring Acme?', {
    subject: 'Ring Acme',
    type: 'CALL',
    dueDate: endOf.thursday,
    ...acme,
  }),
  task('create a todo to follow up on "Pumps for two yards" with low priority', {
    subject: 'Follow up on "Pumps for two yards"',
    priority: 'LOW',
    ...about('OPPORTUNITY', 'pumps'),
  }),
  task('create a task for Acme: send the price list', { subject: 'Send the price list', ...acme }),
  task('remind me to check the demo server at 16:30', {
    subject: 'Check the demo server',
    dueDate: '2027-03-10T15:30:00.000Z',
    reminderAt: '2027-03-10T15:30:00.000Z',
  }),
  task('Remind me to send a mail to Acme tomorrow', {
    subject: 'Send a mail to Acme',
    dueDate: endOf.thursday,
    reminderAt: '2027-03-11T08:00:00.000Z',
    ...acme,
  }),
  task('follow up with Acme', { subject: 'Follow up with Acme', type: 'FOLLOW_UP', ...acme }),
  task('Follow up with Halvorsen Marine next week', {
    subject: 'Follow up with Halvorsen Marine',
    type: 'FOLLOW_UP',
    dueDate: '2027-03-15T22:59:59.999Z',
    ...about('ACCOUNT', 'halvorsen'),
  }),
  task('please follow up with Lena Holm on 2027-03-20 with high priority', {
    subject: 'Follow up with Lena Holm',
    type: 'FOLLOW_UP',
    priority: 'HIGH',
    dueDate: '2027-03-20T22:59:59.999Z',
    ...about('CONTACT', 'lena'),
  }),
  task('Follow-up with Acme on 15 March at 14:30', {
    subject: 'Follow-up with Acme',
    type: 'FOLLOW_UP',
    dueDate: '2027-03-15T13:30:00.000Z',
    ...acme,
  }),
  task('follow up next week with the deal Valves', {
    subject: 'Follow up with the deal Valves',
    type: 'FOLLOW_UP',
    dueDate: '2027-03-15T22:59:59.999Z',
    ...about('OPPORTUNITY', 'valves'),
  }),
  task('follow up on Pumps for two yards on Friday', {
    subject: 'Follow up on Pumps for two yards',
    type: 'FOLLOW_UP',
    dueDate: endOf.friday,
    ...about('OPPORTUNITY', 'pumps'),
  }),
  task('follow up with Acme tomorrow about the offer for Kim', {
    subject: 'Follow up with Acme about the offer for Kim',
    type: 'FOLLOW_UP',
    dueDate: endOf.thursday,
    ...acme,
  }),
  task('follow up with Kim Berg tomorrow', {
    subject: 'Follow up with Kim Berg',
    type: 'FOLLOW_UP',
    dueDate: endOf.thursday,
  }),
  task('follow up with Meyer - Nord GmbH in two weeks', {
    subject: 'Follow up with Meyer - Nord GmbH',
    type: 'FOLLOW_UP',
    dueDate: '2027-03-24T22:59:59.999Z',
    ...about('ACCOUNT', 'meyer'),
  }),
  task('follow up with this deal next week', {
    subject: 'Follow up with this deal',
    type: 'FOLLOW_UP',
    dueDate: '2027-03-15T22:59:59.999Z',
    ...about('OPPORTUNITY', 'pumps'),
  }),
  set('set the industry of Meyer - Nord GmbH to Fishing', 'account meyer', 'industry', 'Fishing'),
  set('set the stage of Pumps for two yards to Negotiation', 'opportunity pumps', 'stage', 'NEGOTIATION'),
  set('Set the stage of the deal "Pumps for two yards" to proposal', 'opportunity pumps', 'stage', 'PROPOSAL'),
  set('move Pumps for two yards to negotiation', 'opportunity pumps', 'stage', 'NEGOTIATION'),
  set('Move the deal Valves to needs analysis please', 'opportunity valves', 'stage', 'NEEDS_ANALYSIS'),
  set('mark the deal Valves as won', 'opportunity valves', 'stage', 'CLOSED_WON'),
  set('change the amount of Valves to 52k', 'opportunity valves', 'amount', 52_000),
  set('Update the amount of the Valves deal to EUR 48,500.50', 'opportunity valves', 'amount', 48_500.5),
  set(
    'change the close date of Valves to 30 April 2027',
    'opportunity valves',
    'closeDate',
    '2027-04-29T22:00:00.000Z',
  ),
  set(
    "push Valves' close date to the end of next month",
    'opportunity valves',
    'closeDate',
    '2027-04-29T22:00:00.000Z',
  ),
  set('set the probability of Valves to 75%', 'opportunity valves', 'probability', 75),
  set('set the next step of Valves to Talk to the yard', 'opportunity valves', 'nextStep', 'Talk to the yard'),
  set('change the forecast category of Valves to commit', 'opportunity valves', 'forecastCategory', 'COMMIT'),
  set('change the owner of Valves to Kim Berg', 'opportunity valves', 'ownerId', '{kim}'),
  set('make Kim the owner of Fjordline', 'account fjordline', 'ownerId', '{kim}'),
  set('assign the task "Count the pallets" to Kim', 'task pallets', 'assignedToId', '{kim}'),
  set('assign the case "Gate is stuck" to me', 'case gate', 'assignedToId', '{me}'),
  set('set the priority of the case "Gate is stuck" to urgent', 'case gate', 'priority', 'URGENT'),
  set('mark the task "Count the pallets" as done', 'task pallets', 'status', 'COMPLETED'),
  set('complete the task Count the pallets', 'task pallets', 'status', 'COMPLETED'),
  set('make the task "Count the pallets" urgent', 'task pallets', 'priority', 'URGENT'),
  set('postpone "Count the pallets" to Friday', 'task pallets', 'dueDate', endOf.friday),
  set(
    'change the due date of the task "Count the pallets" to 2027-03-20',
    'task pallets',
    'dueDate',
    '2027-03-20T22:59:59.999Z',
  ),
  set('set the status of "Gate is stuck" to pending customer', 'case gate', 'status', 'PENDING_CUSTOMER'),
  set("change Lena Holm's phone to +47 22 33 44 55", 'contact lena', 'phone', '+47 22 33 44 55'),
  set(
    'update the email of Lena Holm to lena.holm@fjordline.example',
    'contact lena',
    'email',
    'lena.holm@fjordline.example',
  ),
  set('set the website of Acme to https://acme.example/yard', 'account acme', 'website', 'https://acme.example/yard'),
  set('set Acme phone number to (555) 010-2233', 'account acme', 'phone', '(555) 010-2233'),
  set(
    'change the industry of Halvorsen Marine to "Ship building and repair"',
    'account halvorsen',
    'industry',
    'Ship building and repair',
  ),
  set('set industry to Fishing for Acme', 'account acme', 'industry', 'Fishing'),
  set('change the number of employees of Acme to 1,200', 'account acme', 'numberOfEmployees', 1200),
  set('rename the account Fjordline to Fjordline Group', 'account fjordline', 'name', 'Fjordline Group'),
  set('change the status of the lead Ida Moe to qualified', 'lead ida', 'status', 'QUALIFIED'),
  set('make Fjordline a customer', 'account fjordline', 'type', 'CUSTOMER'),
  set('set Valves probability 80%', 'opportunity valves', 'probability', 80),
  set('mark Ida Moe as hot', 'lead ida', 'rating', 'HOT'),
  set('change the account of Lena Holm to Acme', 'contact lena', 'accountId', '{acme}'),
  set('set the stage of this deal to Qualification', 'opportunity pumps', 'stage', 'QUALIFICATION'),
  set('change its amount to 10 million', 'opportunity pumps', 'amount', 10_000_000),
]

/** The requests that must not be proposed, with what is said. */
export const refusals: readonly Requested[] = [
  refused('delete the account Acme', /do not delete/),
  refused('Remove Lena Holm', /do not delete/),
  refused('send a mail to Lena Holm', /do not send mails/),
  refused('email Lena Holm the offer', /do not send mails/),
  refused('schedule a meeting with Acme tomorrow', /appointments/),
  refused('set the stage of all deals to Negotiation', /one record at a time/),
  refused('mark all my tasks as done', /one record at a time/),
  refused('assign every lead to Kim', /one record at a time/),
  refused('set the stage of Nothing Known to Negotiation', /understand "Nothing Known"/),
  refused('set the stage of Valves to Dancing', /understand "Dancing"/),
  refused('set the mood of Valves to happy', /understand "mood"/),
  refused('set the expected revenue of Valves to 100', /understand "expected revenue"/),
  refused('change the amount of Valves to a lot', /understand "a lot"/),
  refused('change the amount of Valves to 500 USD', /in EUR/),
  refused('change the amount of Valves to -5', /understand "-5"/),
  refused('set the probability of Valves to 175', /between 0 and 100/),
  refused('change the close date of Valves to someday', /understand "someday"/),
  refused('change the owner of Valves to Eve Nobody', /understand "Eve Nobody"/),
  refused('change the owner of Valves to Ann', /"Ann" can mean/),
  refused('set the phone of Jonas Berg to 555 0101', /"Jonas Berg" can mean/),
  refused('create a task to call Jonas Berg', /"Jonas Berg" can mean/),
  refused('create a task for Nobody Known to call', /understand "Nobody Known"/),
  refused('follow up with Nobody Known next week', /understand "Nobody Known"/),
  refused('follow up with Jonas Berg tomorrow', /"Jonas Berg" can mean/),
  refused('follow up with Acme someday', /understand "Acme someday"/),
  refused('follow up with all customers next week', /one record at a time/),
  refused('follow up with Meyer - South GmbH next week', /understand "Meyer - South GmbH"/),
  refused('create a task', /what the task is/),
  refused('create a deal for Acme over 50k', /cannot do this/),
  refused('set the phone of Lena Holm to 123456 and the email to a@b.example', /understand "123456 and the email/),
  refused('set the phone of Lena Holm to call me', /understand "call me"/),
  refused('set the email of Lena Holm to nothing', /understand "nothing"/),
  refused('set the status of the invoice INV-1 to paid', /cannot propose changes of invoices/),
  refused('set the stage of Valves to Negotiation and Pumps to Proposal', /understand/),
  refused('close the deal Valves', /understand "the deal Valves"/),
  refused("don't create a task to call Acme", /cannot do this/),
  refused('update Valves', /record, the field and the value/),
  refused('set the stage of Valves to Negotiation if Kim agrees', /understand/),
  refused('increase the amount of Valves by 10% to please Kim', /understand/),
  refused('set the organization id of Acme to 1', /understand "organization id"/),
  refused('set the stage of this account to Negotiation', /which record/),
]
