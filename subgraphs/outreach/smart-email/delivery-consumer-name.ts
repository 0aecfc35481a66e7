/** The name under which the position in the event log is stored. */
export const deliveryConsumer = 'smart_email_delivery'
