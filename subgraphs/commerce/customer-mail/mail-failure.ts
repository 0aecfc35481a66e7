/** The options of the column that says why a mail to the customer was not delivered. */
export const mailFailureOptions = (what: string) => ({
  nullable: true,
  writable: 'NEVER' as const,
  max: 1000,
  description: `Why the last mail with ${what} was not delivered, such as \`550 5.1.1 No such user\`; null if no failure is known. Sending again sets it to null.`,
  example: null,
})
