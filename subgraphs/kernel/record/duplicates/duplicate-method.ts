import { enumeration } from '../column.ts'

export const DuplicateMethod = enumeration(
  'DuplicateMethod',
  'How a rule of duplicates compares a field. A value that is blank for the method equals no other.',
  {
    EXACT: 'The values are equal; in texts, case, white space and full or half width make no difference.',
    EMAIL:
      'The email addresses are equal in lower case without what follows a plus sign before the `@`. What is no address is blank.',
    DOMAIN:
      'The domains of web or email addresses are equal, without `www.`. Domains of public mail providers, such as gmail.com, are blank.',
    COMPANY:
      'The names of companies are equal without punctuation and legal forms at their end, such as GmbH, AG, Inc, Ltd, LLC, SA, AB, AS and KK.',
    PERSON:
      'The names of persons have the same words in any order, such as `Ingrid Halvorsen` and `Halvorsen, Ingrid`.',
    PHONE: 'The last nine digits of the telephone numbers are equal.',
    FUZZY:
      'The texts are similar by Jaro and Winkler, at least by `threshold`, without case, accents and punctuation, also with their words in another order. Of the records that have a word of the text, or one with a typing error, the 500 newest are compared; they are found a moment after they were written.',
  },
)
export type DuplicateMethod = keyof typeof DuplicateMethod
