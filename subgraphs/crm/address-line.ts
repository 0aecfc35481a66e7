/** The column options of one line of an address. `what` ends with the kind of the address: `City of the billing`. */
export const addressLine = (max: number, what: string, example: string | null) => ({
  nullable: true,
  max,
  description: `${what} address; null if unknown.`,
  example,
})
