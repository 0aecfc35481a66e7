import { lines, table } from './text.ts'

/** A kind of case: the text of the customer and the comments until it is solved. `{slots}` are withSlotsFilled for each case. */
export interface Story {
  readonly type: 'QUESTION' | 'INCIDENT' | 'PROBLEM' | 'FEATURE_REQUEST' | 'BILLING' | 'OTHER'
  readonly tag: string
  readonly subjects: readonly string[]
  readonly description: string
  readonly answer: string
  readonly note: string
  readonly reply: string
  readonly solution: string
}

/** One block for each story: type and tag, subjects separated by bars, then five texts, one on each line. An empty line separates blocks. */
const stories = (text: string): Story[] =>
  text
    .trim()
    .split(/\n\s*\n/)
    .map((block) => {
      const [heading, subjects, description, answer, note, reply, solution] = lines(block)
      const [[type, tag]] = table(heading!) as [[Story['type'], string]]
      return {
        type,
        tag,
        subjects: table(subjects!)[0]!,
        description: description!,
        answer: answer!,
        note: note!,
        reply: reply!,
        solution: solution!,
      }
    })

export const generalStories: readonly Story[] = stories(`
  QUESTION | access
  How do we add colleagues from {city}? | New users for our site in {city} | Inviting {count} people at once
  We open a site in {city} next month and need access for {count} people. Some of them should only read. What is the quickest way?
  Hello {person}, an administrator can invite them under Settings, Users; a list of addresses can be pasted. Shall we do it with you in a short call?
  They have {count} seats left on the contract, so no change order is needed.
  Thank you, pasting the list worked. Two addresses were refused because of a typo of ours.
  All {count} invitations are accepted and the read-only role is set for those you named. Closing this, welcome to the colleagues in {city}.

  INCIDENT | sign-in
  Nobody can sign in since {time} | Single sign-on loops back to the login page | Login loop for everybody in {city}
  Since {time} everybody in {city} is sent back to the login page after entering the password. Private browsing does not help. About {count} people wait.
  Hello {person}, we see the failed sign-ins. Your identity provider answers with a certificate that ran out last night. Can your IT renew it? We keep password sign-in open for you meanwhile.
  Certificate of their identity provider expired at midnight; nothing wrong on our side. Password fallback switched on until Friday.
  IT has installed the new certificate and the first people are in.
  Sign-in has worked without failures since the renewal. The fallback is off again, and we set a reminder thirty days before the next date.

  BILLING | invoice
  Invoice {invoice} shows the old price | Price on {invoice} is not the agreed one | Please correct invoice {invoice}
  Invoice {invoice} lists {product} at the price before our renewal in {month}. Please send a corrected one, our accounts close on Friday.
  Hello {person}, you are right: the renewal was booked a day after the invoice run. A credit note and a new invoice are on their way today.
  Renewal order was approved late; asked finance to credit the difference.
  Received, and the amount is what we agreed. Thanks for being quick.
  Credit note and corrected invoice were sent and confirmed by the customer.

  BILLING | purchase-order
  Purchase order number missing on {invoice} | Invoice {invoice} rejected by our portal
  Our portal rejects {invoice} because the purchase order number is missing. The number is PO-{number}. Can you add it for all invoices to come?
  Hello {person}, the number is on the account and will be printed from the next invoice on. I attach a copy of {invoice} with it.
  Added PO-{number} to the billing profile. Their old order ran out in {month}.
  The portal has accepted the copy.
  Purchase order number is stored on the account; the copy was accepted.

  QUESTION | contract
  When does our contract for {product} end? | Renewal terms for {product} | Notice period for {product}
  We are planning next year's budget. When does the current term of {product} end, and what notice do we have to give?
  Hello {person}, your term ends on the last day of {month}, with three months' notice. I have asked your account manager to send the renewal figures.
  Good moment to talk about the larger edition: they are at {percent} percent of their volume.
  Thank you, that is what we needed. We will come back in {month}.
  Dates and terms were sent; the account manager follows up on the renewal.

  QUESTION | reporting
  How is the figure "{metric}" calculated? | Report "{metric}" differs from our own count | "{metric}" in the report and in our list
  The report shows {number} for "{metric}" last week, our own list has {count} more. Which times and which records does it count?
  Hello {person}, the report counts by the time zone of the organization and leaves out cancelled entries. Your list includes the cancelled ones. The filter at the top right shows both.
  Their organization is still set to UTC; explained the difference, no defect.
  With the filter the figures agree to the last one. Perhaps mention it on the page.
  Explained and confirmed; passed the wish for a hint on the page to the product team.

  INCIDENT | integration
  {system} receives no updates since {time} | Webhook deliveries to {system} fail | Orders no longer arrive in {system}
  Since {time} nothing reaches {system}. The last record that came through has the number {number}. Our side shows no errors.
  Hello {person}, our delivery log shows status 401 from your endpoint since {time}. It looks as if a token was changed. Once it is set again we replay what was missed.
  {count} deliveries failed with 401, then the endpoint was switched off after ten in a row. All can be replayed.
  Correct, our security team rotated the token. The new one is entered now.
  Replayed {count} deliveries, all accepted. The endpoint is on and the customer confirmed that nothing is missing.

  PROBLEM | integration
  Duplicates in {system} after each import | Same order appears twice in {system}
  After every night's import some orders are twice in {system}, about {count} a week. The order numbers are equal but the ids differ.
  Hello {person}, your importer repeats a request when an answer takes longer than five seconds, without an Idempotency-Key. With the key the second request would give the first answer.
  Their time-out is five seconds and our slowest answer that night took seven. Sent the page on idempotency and an example.
  Our developer has added the key. We will watch it for three nights.
  No duplicate in three nights. The {count} old ones were merged together with the customer.

  FEATURE_REQUEST | wish
  Wish of our night shift: {wish} | Could we have {wish}?
  Our night shift works with dimmed lights and would like {wish}. Is something like that planned?
  Hello {person}, thank you, that is a good idea and you are not the first to ask. I have added your vote; we tell you when it is scheduled.
  Vote number {count} for this. Product wants to look at it after the summer release.
  Happy to try an early version with the night shift.
  Recorded with the product team, and you are on the list for the early version.

  OTHER | data-protection
  Data processing agreement for {month} audit | List of subprocessors for our audit
  For our audit in {month} we need the current data processing agreement and the list of subprocessors. Please send both.
  Hello {person}, attached you find the signed agreement and the list as of this week. Hosting stays within the EU.
  Sent the standard package; legal needs nothing further.
  Received, our auditor has no further questions.
  Documents were sent and accepted by the auditor.

  PROBLEM | performance
  Lists load slowly in the morning | Open orders take {count} seconds to load
  Between {time} and ten o'clock the list of open orders takes up to {count} seconds. In the afternoon it is quick. {city} is affected more than the others.
  Hello {person}, we can see it too. One saved view of yours sorts by a field that has no index. We add one tonight; until then the view "Open, by date" is fast.
  Slow statement found: sorts {number} thousand rows by a custom field. Index planned for tonight.
  Much better this morning, it opens at once.
  The index is in place, the slowest answer of this week took 180 ms.

  INCIDENT | e-mail
  Confirmations end up in the junk folder | Customers receive no confirmation mails
  Several customers tell us that our confirmations do not arrive or are marked as junk since {month}. Nothing was changed by us.
  Hello {person}, your domain publishes a new mail policy and our sender is not in it. Please add the record from the attached note to your DNS.
  Their DMARC policy went from none to reject. Sent the DKIM record.
  The record is live, our test mails arrive in the inbox.
  Mails pass all checks since the record was added; none was rejected in two days.

  QUESTION | training
  Training for {count} new colleagues | Course for people who joined since the rollout
  {count} colleagues have joined since the rollout. Do you offer a course for them, if possible in {city} or online?
  Hello {person}, we have places online in {month}, or we come to {city} for a group of that size. I attach both offers.
  Passed to the training desk; they prefer on site.
  We take the online course. Please send the dates.
  The course is booked and the invitations are sent.
`)

export const freightStories: readonly Story[] = stories(`
  INCIDENT | printing
  Labels print without the delivery barcode | No barcode on labels from dock {dock} | Labels of dock {dock} cannot be scanned
  Since {time} every label from dock {dock} lacks the barcode below the address. The other docks are fine. We load by hand and fall behind, {count} pallets wait.
  Hello {person}, the printer profile of dock {dock} lost its barcode zone when the driver was updated. I restored it; please print one label and tell us.
  Driver update came from their IT, not from us. Profile restored from last night's copy.
  The label is right again. We print the {count} waiting pallets now.
  Dock {dock} prints correctly. The profile is locked, so that a driver update no longer changes it.

  INCIDENT | scanner
  Scanners lose the network in aisle {dock} | No signal behind the new racks in aisle {dock} | {count} scanners drop out in aisle {dock}
  In aisle {dock} the scanners lose the network and the picker has to walk back to the end. It began on {weekday}. We have {count} devices there.
  Hello {person}, the signal map shows a hole behind the new racks in aisle {dock}. One more access point at the far end would close it. We send a loan unit today.
  New steel racks since {weekday}. Loan access point from the pool, ask for it back in {month}.
  The loan unit is up, nobody has lost the line since lunch.
  Customer ordered an access point of the same model; the loan unit is on its way back.

  PROBLEM | stock
  Stock of item {number} differs after each count | Negative stock in location {location}
  Location {location} shows {count} pieces less than there are after every cycle count. We correct it and a day later it is wrong again.
  Hello {person}, two workflows book the same return: the desk and the scanner. The second one should only confirm. I have changed the step on your test site, please try it.
  Return flow copies the booking. Configuration, not a defect; took two screenshots for the knowledge base.
  Tried with ten returns, the stock is right each time.
  The corrected flow is live on all sites, two counts in a row agree.

  QUESTION | carrier
  Which service codes does the new carrier need? | Adding a carrier for {country}
  We start with a new carrier for {country} in {month}. Which codes and what test labels do they want, and how long does it take?
  Hello {person}, usually two weeks: we exchange test labels with the carrier and load your rate card. Please send the contract number and the pick-up address.
  Carrier is known from two other customers, so one week should do.
  Both are attached. The pick-up is at our site in {city}.
  Test labels are approved and the carrier can be chosen from tomorrow.

  INCIDENT | customs
  Declarations rejected with code {number} | Export papers stuck since {time}
  Since {time} declarations for {country} come back with code {number}. {count} shipments wait at the port and the vessel leaves on {weekday}.
  Hello {person}, the authority closed an old tariff version last night. We have loaded the new one and sent your {count} declarations again.
  Tariff update was announced late. All customers with declarations for {country} were affected.
  Most are through. Two still ask for a document code.
  All {count} declarations are accepted, the two were completed by phone. The vessel left with everything on board.

  FEATURE_REQUEST | dock
  Let carriers move their slot themselves | Carriers should change their own bookings
  Drivers phone us all morning to move their slot. Could carriers do that themselves, up to two hours before?
  Hello {person}, this is on the plan for the spring release. You could try it on your test site from {month}.
  Third request from a site with more than {count} slots a day.
  Yes please, dock {dock} would be the right one to try.
  Joined the pilot; we tell you when the test site has it.

  PROBLEM | route
  Route plan ignores the time window in {city} | Drivers arrive before the shop opens
  The plan for {city} puts stops at six in the morning although the shops open at eight. It is the same {count} stops every day.
  Hello {person}, these {count} addresses have no time window of their own and take the one of the depot. I attach the list, an import sets them at once.
  Suggested a default window per customer group to product.
  Imported. The plan for tomorrow looks right.
  Time windows are set, a week without an early arrival.

  INCIDENT | cold-chain
  Temperature alert without a reason | A night of false temperature alerts in {city}
  We received {count} alerts for the chilled hall in {city} during the night, but the hall stayed at four degrees the whole time.
  Hello {person}, gateway two lies beside the evaporator and its own sensor reads the defrost. We muted that one sensor; the loggers in the goods are not touched.
  Move the gateway at the next visit, {month}.
  No alert tonight. Please do plan the visit.
  Gateway was moved by two metres, the alert is on again and quiet.
`)

export const laboratoryStories: readonly Story[] = stories(`
  INCIDENT | balance
  Balance drifts by {count} mg within an hour | Reading of the balance does not settle
  Our analytical balance drifts by about {count} mg within an hour. It was calibrated in {month}. The room has not changed.
  Hello {person}, please switch the internal calibration on and look whether the shield closes fully. If the drift stays we come by this week.
  Sounds like static in winter air. Take the ioniser along.
  The shield did not close, a crumb was in the rail. It is stable now.
  Stable over two days after cleaning. Sent the care sheet for the shield.

  QUESTION | calibration
  Which certificate do we need for the audit? | Certificates for {count} instruments
  Our auditor asks for traceable certificates. Are those from {month} enough for {count} instruments, and how do we download them?
  Hello {person}, yes, they are accredited. All certificates are under Calibration Planner, Documents, and can be taken as one archive.
  Two of the {count} are due before the audit; offered a date.
  Downloaded. Please book the two that are due.
  Both instruments are calibrated and the certificates are in the archive.

  PROBLEM | readings
  Readings arrive twice in the logbook | Every reading is logged two times
  Since the update in {month} each reading of the spectrophotometer is in the logbook twice, a second apart.
  Hello {person}, both the cable and the network connection are on, and each sends the reading. Please switch the cable off in the instrument's menu.
  Known since the last firmware; the next one warns when both are on.
  That was it. One line per reading again.
  Doubles were marked as such in the log with the reason, as the audit trail demands.

  QUESTION | electrode
  How often must the pH electrode be changed? | Slope of the electrode at {percent} percent
  The slope has fallen to {percent} percent and calibration takes ages. Is it time for a new electrode, or can it be cleaned?
  Hello {person}, below 95 percent cleaning is worth one try: five minutes in the cleaning solution, then an hour in storage solution.
  They measure protein samples, recommended the other diaphragm.
  It came back to 98 percent. We order a spare anyway.
  Cleaned and back in range; a spare electrode is ordered.
`)

export const slotValues = {
  metric: ['Orders per hour', 'Picking accuracy', 'Open returns', 'On-time delivery', 'Utilisation', 'Backlog'],
  system: ['SAP', 'our web shop', 'the data warehouse', 'NetSuite', 'our ERP', 'Dynamics'],
  month: ['January', 'February', 'March', 'April', 'May', 'June', 'September', 'October', 'November'],
  weekday: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'],
  time: ['06:30', '07:15', '08:00', 'half past five', 'yesterday evening', 'the early shift', 'noon'],
  wish: ['a dark theme', 'larger buttons', 'shortcuts for the four main steps', 'a quieter confirmation sound'],
} as const
