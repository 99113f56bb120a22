// The values of strftime_now in templates. As in Python's C locale, they are English regardless of the system locale.

/** Text by strftime directive, without the percent sign. */
export type Calendar = Readonly<Record<string, string>>;

export function createCalendar(epochMilliseconds: number, timeZone?: string): Calendar {
  const parts = partsOf(epochMilliseconds, timeZone);
  const { year = '', month = '', day = '', hour = '', minute = '', second = '' } = parts.digits;
  const { month: monthName = '', weekday = '' } = parts.names;
  return {
    Y: year,
    y: year.slice(-2),
    m: month,
    d: day,
    H: hour,
    M: minute,
    S: second,
    I: String(Number(hour) % 12 || 12).padStart(2, '0'),
    p: Number(hour) < 12 ? 'AM' : 'PM',
    B: monthName,
    b: monthName.slice(0, 3),
    A: weekday,
    a: weekday.slice(0, 3),
    F: `${year}-${month}-${day}`,
    T: `${hour}:${minute}:${second}`,
  };
}

function partsOf(epochMilliseconds: number, timeZone: string | undefined) {
  const read = (options: Intl.DateTimeFormatOptions): Partial<Record<Intl.DateTimeFormatPartTypes, string>> => {
    const format = new Intl.DateTimeFormat('en-US', { ...options, timeZone, calendar: 'gregory' });
    return Object.fromEntries(format.formatToParts(epochMilliseconds).map(({ type, value }) => [type, value]));
  };
  const two = '2-digit';
  return {
    digits: {
      ...read({ year: 'numeric', month: two, day: two }),
      ...read({ hour: two, minute: two, second: two, hourCycle: 'h23' }),
    },
    names: { ...read({ month: 'long' }), ...read({ weekday: 'long' }) },
  };
}
