#import <Foundation/Foundation.h>

// An account that notes what happens to it.
@interface Account : NSObject {
    int balance;
    NSString *owner;
}
@property (nonatomic, copy) NSString *label;
- (id)initWithOwner:(NSString *)name;
- (BOOL)withdraw:(int)amount;
- (int)balance;
@end

@implementation Account

- (id)initWithOwner:(NSString *)name {
    self = [super init];
    if (self) {
        owner = name;
        balance = 0;
    }
    return self;
}

- (BOOL)withdraw:(int)amount {
    if (amount > balance || amount < 1) {
        NSLog(@"größe %d", amount);
        return NO;
    }
    balance -= amount;
    return YES;
}

- (int)balance {
    return balance;
}

@end

/* Tries it. */
int main(int argc, char *argv[]) {
    Account *account = [[Account alloc] initWithOwner:@"Ada"];
    int round = 0;
    while (round < 5) {
        [account withdraw:round * 10 + 1];
        round++;
    }
    for (int i = 0; i < argc; i++) {
        NSLog(@"%s %f", argv[i], 2.5);
    }
    return [account balance] == 0 ? 0 : 1;
}
