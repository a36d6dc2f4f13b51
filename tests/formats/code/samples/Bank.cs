using System;
using System.Collections.Generic;
using System.Linq;

namespace Example.Banking
{
    /// <summary>Holds money.</summary>
    [Serializable]
    public sealed class Account : IComparable<Account>
    {
        private readonly List<decimal> entries = new List<decimal>();
        public string Owner { get; private set; }
        public decimal Balance => entries.Sum();

        public Account(string owner, decimal opening = 0.5m)
        {
            Owner = owner ?? throw new ArgumentNullException(nameof(owner));
            entries.Add(opening);
        }

        // money that is not there cannot be taken
        public bool Withdraw(decimal amount)
        {
            if (amount <= 0 || amount > Balance)
            {
                Console.WriteLine($"{Owner} hat nicht genug: {amount}");
                return false;
            }
            entries.Add(-amount);
            return true;
        }

        public int CompareTo(Account other)
        {
            return other is null ? 1 : Balance.CompareTo(other.Balance);
        }

        public static void Main(string[] args)
        {
            var accounts = new[] { new Account("Jürgen", 100), new Account("Anna") };
            foreach (var account in accounts.Where(a => a.Balance >= 1))
            {
                for (int i = 0; i < 0x10; i++)
                {
                    account.Withdraw(i * 2);
                }
            }
            char grade = 'b';
            switch (grade)
            {
                case 'a': break;
                default: Console.WriteLine(@"c:\temp"); break;
            }
        }
    }
}
